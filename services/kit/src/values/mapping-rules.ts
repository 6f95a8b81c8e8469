import { z } from 'zod'
import { say } from '../reasons/reasons.ts'
import { withoutJoiners } from './printable.ts'

/** Returns the schema with undefined in place of invalid values. */
function readable<Schema extends z.ZodType>(schema: Schema) {
  return schema.optional().catch(undefined)
}

const text = readable(z.string())
const FieldRef = z.object({ name: z.string().optional(), derivedKind: z.string().optional() })
type FieldRef = z.infer<typeof FieldRef>
const fields = readable(z.array(FieldRef))

/** A mapping with undefined in place of the parts that are missing or of a wrong type. */
const ReadableMapping = readable(
  z.object({
    headers: readable(z.array(z.string())),
    id: readable(z.object({ fields })),
    amount: readable(z.object({ kind: text, fields, credit: text, debit: text })),
    memo: readable(FieldRef),
    merchant: readable(FieldRef),
    date: readable(z.object({ fields, format: text })),
    posted: readable(z.object({ fields, posted: text })),
    balance: readable(z.object({ kind: text, fields: z.array(FieldRef).catch([]) })),
  }),
)
type ReadableMapping = NonNullable<z.infer<typeof ReadableMapping>>

/** Problems by field, nested like the mapping. */
export interface MappingProblems {
  [field: string]: string | MappingProblems
}

const headersMax = 20
export const headerLengthMax = 100
const wordLengthMax = 100
const printable = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u

const texts = {
  reference: say('MAPPING_FIELD'),
  unique: say('MAPPING_UNIQUE'),
  forbidden: say('MAPPING_WORDS'),
  format: say('MAPPING_DAYS'),
} as const

/** Minimum and maximum number of fields of an amount or a balance, by kind. */
type Range = [number, number]
const amountCounts = new Map<string, Range>([
  ['sign', [1, 1]],
  ['type', [2, 2]],
  ['column', [2, 2]],
])
const balanceCounts = new Map<string, Range>([
  ['none', [0, 0]],
  ['sum', [0, 0]],
  ['field', [1, 1]],
])

/**
 * Returns the problems of a CSV mapping by field, or null (docs/files.md#csv-mappings). A part that
 * is missing or of a wrong type has no problem here, since the schemas of the gateway and the
 * ledger refuse it. In kit, because the gateway reports these problems together with those of the
 * schema.
 */
export function problemsOfMapping(mapping: unknown): MappingProblems | null {
  const parts = ReadableMapping.parse(mapping) ?? {}
  const { headers, id, amount, memo, merchant, date, posted, balance } = parts
  const check = (refs: FieldRef[] | undefined, count: Range) =>
    refs ? problemOfFields(refs, headers, count) : null
  const isLong = lengthOf(posted?.posted ?? '') > wordLengthMax
  return present({
    headers: headers ? problemOfHeaders(headers) : null,
    id: present({ fields: check(id?.fields, [1, 20]) }),
    amount: present({
      fields: check(amount?.fields, amountCounts.get(amount?.kind ?? '') ?? [1, 2]),
      ...problemsOfWords(amount ?? {}),
    }),
    memo: memo ? problemOfRef(memo, headers) : null,
    merchant: merchant ? problemOfRef(merchant, headers) : null,
    date: present({
      fields: check(date?.fields, [1, 1]),
      format: date?.format === undefined || isDayFormat(date.format) ? null : texts.format,
    }),
    posted: present({
      fields: check(posted?.fields, [1, 1]),
      posted: isLong ? say('TOO_LONG', { max: wordLengthMax }) : null,
    }),
    balance: present({
      fields: check(balance?.fields, balanceCounts.get(balance?.kind ?? '') ?? [0, 1]),
    }),
  })
}

/** Returns whether a text is a date format, like `YYYY-MM-DD` (docs/files.md#csv-mappings). */
export function isDayFormat(format: string): boolean {
  const parts = format.match(/Y+|M+|D+/g) ?? []
  const letters = parts.map((part) => part.charAt(0)).sort()
  const areKnown = parts.every((part) => /^(YYYY|YY|M{1,3}|DD?)$/.test(part))
  return /^[YMD.,\-/ ]{6,13}$/.test(format) && letters.join('') === 'DMY' && areKnown
}

/** Returns the length in characters: Unicode code points. */
function lengthOf(value: string): number {
  return [...value].length
}

function problemOfHeaders(headers: readonly string[]): string | null {
  const isBounded = headers.length > 0 && headers.length <= headersMax
  if (!isBounded) return say('MAPPING_HEADER_COUNT', { min: 1, max: headersMax })
  if (new Set(headers).size < headers.length) return texts.unique
  const isName = (name: string) =>
    name !== '' && lengthOf(name) <= headerLengthMax && printable.test(withoutJoiners(name))
  if (headers.every(isName)) return null
  return say('MAPPING_HEADER', { max: headerLengthMax })
}

/** Returns the problems of `credit` and `debit`: required if `kind` is `type`, else forbidden. */
function problemsOfWords({ kind, credit, debit }: Partial<NonNullable<ReadableMapping['amount']>>) {
  if (kind === undefined || !amountCounts.has(kind)) return {}
  const isType = kind === 'type'
  const problemOf = (word: string | undefined) => {
    if (!isType) return word === undefined ? null : texts.forbidden
    const isWord = word !== undefined && word !== '' && lengthOf(word) <= wordLengthMax
    return isWord ? null : say('LENGTH', { min: 1, max: wordLengthMax })
  }
  const same = isType && debit === credit ? say('MAPPING_WORDS_SAME') : null
  return { credit: problemOf(credit), debit: problemOf(debit) ?? same }
}

function problemOfFields(
  refs: readonly FieldRef[],
  headers: readonly string[] | undefined,
  [min, max]: Range,
): string | null {
  if (refs.length < min || refs.length > max) {
    const named = max === 1 ? 'field' : 'fields'
    return min === max
      ? say('MAPPING_FIELD_COUNT', { count: min, fields: named })
      : say('MAPPING_FIELD_RANGE', { min, max, fields: named })
  }
  const names = refs.map((ref) => ref.name ?? `\0${ref.derivedKind}`)
  if (new Set(names).size < names.length) return texts.unique
  return refs.map((ref) => problemOfRef(ref, headers)).find((problem) => problem !== null) ?? null
}

/** Returns the problem of a field reference; without headers, any name is valid. */
function problemOfRef(ref: FieldRef, headers: readonly string[] | undefined): string | null {
  const { name, derivedKind } = ref
  const isNamed = name !== undefined && derivedKind === undefined
  const isColumn = isNamed && (headers === undefined || headers.includes(name))
  return isColumn || (name === undefined && derivedKind === 'rowNumber') ? null : texts.reference
}

/** Returns the problems that are not null, or null when there are none. */
function present(problems: Record<string, string | MappingProblems | null>) {
  const found = Object.entries(problems).filter(([, problem]) => problem !== null)
  return found.length === 0 ? null : (Object.fromEntries(found) as MappingProblems)
}
