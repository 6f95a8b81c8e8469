import { bankReasons } from './bank-reasons.ts'
import { budgetReasons } from './budget-reasons.ts'
import { fieldReasons } from './field-reasons.ts'
import { fileReasons } from './file-reasons.ts'
import { hintReasons } from './hint-reasons.ts'
import { moneyReasons } from './money-reasons.ts'
import { providerReasons } from './provider-reasons.ts'
import { readingReasons } from './reading-reasons.ts'
import { requestReasons } from './request-reasons.ts'
import { signInReasons } from './sign-in-reasons.ts'
import { textReasons } from './text-reasons.ts'

/**
 * Sentences of refusals by their stable code, with parameters in braces. Each sentence is declared
 * only here: services fill it by `say`, and `reasonOf` parses code and parameters from the text. So
 * problems, list items and stored texts need no second field for the code.
 */
export const reasons = {
  ...requestReasons,
  ...fieldReasons,
  ...signInReasons,
  ...moneyReasons,
  ...budgetReasons,
  ...fileReasons,
  ...bankReasons,
  ...providerReasons,
  ...readingReasons,
  ...textReasons,
  ...hintReasons,
} as const

export type ReasonCode = keyof typeof reasons

/** Reason for the refusal of a request, or of a field in it. */
export interface Reason {
  code: ReasonCode
  /** Values of the parameters by name, as in the sentence. */
  params: Record<string, string>
  /** The reason in the parameter `fault` of the sentence, if that text has a code too. */
  cause?: Reason
}

type NamesOf<Sentence> = Sentence extends `${string}{${infer Name}}${infer Rest}`
  ? Name | NamesOf<Rest>
  : never

type ParamsOf<Code extends ReasonCode> = Record<
  NamesOf<(typeof reasons)[Code]>,
  string | number | bigint
>

/** Returns the sentence of a code, with its parameters filled in. */
export function say<Code extends ReasonCode>(
  code: Code,
  ...filled: [NamesOf<(typeof reasons)[Code]>] extends [never] ? [] : [params: ParamsOf<Code>]
): string {
  const values: Record<string, string | number | bigint> = filled[0] ?? {}
  return reasons[code].replaceAll(/\{(\w+)\}/g, (_, name) => String(values[name]))
}

interface Template {
  code: ReasonCode
  pattern: RegExp
}

/** Parameters that are numbers; all other parameters are texts. */
const numeric = /^(min|max|count|rows|columns|line)$/

/** Maximum length of a text to parse, because patterns take quadratic time in the worst case. */
const lengthMax = 2_000

const whole = new Map<string, ReasonCode>()
const templates: (Template & { length: number })[] = []
for (const [name, sentence] of Object.entries(reasons)) {
  const code = name as ReasonCode
  const parts = sentence.split(/\{(\w+)\}/)
  const literals = parts.filter((_, at) => at % 2 === 0)
  if (literals.length === 1) whole.set(sentence, code)
  else templates.push({ code, pattern: patternOf(parts), length: literals.join('').length })
}
// The longest sentence is tried first, since "at most 5 tags" matches a shorter one as well.
templates.sort((one, other) => other.length - one.length)

function patternOf(parts: string[]): RegExp {
  const source = parts.map((part, at) => {
    if (at % 2 === 0) return part.replaceAll(/[.*+?^${}()|[\]\\]/g, '\\$&')
    return `(?<${part}>${numeric.test(part) ? '-?\\d+' : '.+?'})`
  })
  return new RegExp(`^${source.join('')}$`, 's')
}

/** Returns code and parameters of a refusal's text; null for a text without a declared code. */
export function reasonOf(text: string): Reason | null {
  if (text.length > lengthMax) return null
  const code = whole.get(text)
  if (code !== undefined) return { code, params: {} }
  for (const { code, pattern } of templates) {
    const found = pattern.exec(text)
    if (!found) continue
    const params: Record<string, string> = { ...found.groups }
    const cause = params.fault === undefined ? null : reasonOf(params.fault)
    return cause === null ? { code, params } : { code, params, cause }
  }
  return null
}
