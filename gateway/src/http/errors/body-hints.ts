import type { z } from 'zod'
import { texts } from '../fields/fields.ts'
import { wrongDiscriminators } from './intended-shape.ts'
import { knownKeys, similarKey } from './known-keys.ts'
import type { ProblemTree } from './problems.ts'

/** A body that was refused, with its problems by key. */
interface RefusedBody {
  problems: ProblemTree
  /** The parsed body; undefined if it is too large for hints. */
  body: unknown
  schema: z.core.$ZodType | undefined
}

/** A problem of one key, with the value that was sent. */
interface Fault {
  path: string[]
  key: string
  problem: string
  value: unknown
}

/** Maximum number of hints in an answer (docs/limits.md). */
const hintsMax = 5

/** Maximum number of problems for which hints are searched (docs/limits.md). */
const faultsMax = 50

/** Returns at most 5 hints for the problems of a body: about its shape, then by key. */
export function bodyHints({ problems, body, schema }: RefusedBody): string[] {
  const faults = faultsOf(problems, []).slice(0, faultsMax)
  const shape = 'oneOf' in problems ? wrongDiscriminators(schema, body) : []
  const byShape = shape.map(({ key, values }) => `${key} is ${values.join(' or ')}`)
  const byKey = faults.flatMap(({ path, key, problem }) => {
    const fault = { path, key, problem, value: valueAt(body, [...path, key]) }
    return [amountHint(fault), rulesetHint(fault), keyHint(fault, { body, schema })]
  })
  const hints = new Set([...byShape, ...byKey].filter((hint) => hint !== null))
  return [...hints].slice(0, hintsMax)
}

/** Flattens a tree of problems; problems of union alternatives count for the key of the union. */
function faultsOf(problem: ProblemTree[string], path: string[]): Omit<Fault, 'value'>[] {
  if (Array.isArray(problem)) return problem.flatMap((one) => faultsOf(one, path))
  if (typeof problem !== 'string') {
    return Object.entries(problem).flatMap(([key, one]) =>
      faultsOf(one, key === 'oneOf' ? path : [...path, key]),
    )
  }
  return [{ path: path.slice(0, -1), key: path.at(-1) ?? '', problem }]
}

function valueAt(body: unknown, path: string[]): unknown {
  let value = body
  for (const key of path) {
    if (typeof value !== 'object' || value === null || !Object.hasOwn(value, key)) return undefined
    value = (value as Record<string, unknown>)[key]
  }
  return value
}

/** Matches the names of integer keys that are amounts of money. */
export const isAmount = /(amount|balance|deposit)(from|to)?$/i

function amountHint({ key, problem, value }: Fault): string | null {
  if (problem !== texts.integer || !isAmount.test(key)) return null
  if (typeof value === 'string' && /^-?\d+$/.test(value)) {
    return 'an amount is a number: send it without quotes'
  }
  const isDecimal =
    typeof value === 'string'
      ? /\d[.,]\d/.test(value)
      : Number.isFinite(value) && !Number.isInteger(value)
  return isDecimal
    ? 'amounts are minor units: 12.50 is 1250, in a currency with two decimal places'
    : null
}

/** Hint for a ruleset in one line: a space, or a literal \n, separates its lines. */
function rulesetHint({ key, value }: Fault): string | null {
  if (!/^(ruleset|recurrenceRule)$/.test(key) || typeof value !== 'string') return null
  if (!/(\\r?\\?n|\s)RRULE:/.test(value) || /\nRRULE:/.test(value)) return null
  return 'a ruleset has a real line break before RRULE: in JSON it is \\n, with one backslash'
}

function keyHint(
  { path, key, problem }: Fault,
  { body, schema }: Pick<RefusedBody, 'body' | 'schema'>,
): string | null {
  if (problem !== texts.unknown) return null
  const known = knownKeys(schema, path)
  const sent = Object.keys(Object(valueAt(body, path)))
  const meant = similarKey(
    key,
    known.filter((one) => !sent.includes(one)),
  )
  return known.includes(key) || meant === null ? null : `did you mean ${meant}?`
}
