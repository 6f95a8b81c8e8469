import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { isId } from '@coffer/kit/values/id'
import { z } from 'zod'
import { similarKey } from '../errors/known-keys.ts'
import { isDay } from '../fields/day.ts'
import { idPattern, idProblem, text, texts, timestamp } from '../fields/fields.ts'
import { dayShape, lineShape, timestampShape } from '../fields/shapes.ts'
import { decodeCursor } from './cursor.ts'

// An integer parameter. Texts that do not match are ignored, as if the parameter was not sent
// (docs/api.md#query-parameters).
export const integerText = /^[+-]?\d+$/
const integerMax = 2 ** 31 - 1

const trueTexts = ['1', 't', 'T', 'TRUE', 'true', 'True']
const falseTexts = ['0', 'f', 'F', 'FALSE', 'false', 'False']

const booleans = new Map([
  ...trueTexts.map((text) => [text, true] as const),
  ...falseTexts.map((text) => [text, false] as const),
])

/** Maximum number of unknown values that a refusal lists. */
const unknownMax = 5

/**
 * A query parameter: undefined if it is not sent, an empty text if it is blank. Of repeated ones,
 * the first counts.
 */
export const value = z.preprocess(
  (sent) => (Array.isArray(sent) ? sent[0] : sent),
  z.string().optional(),
)

type Range = Record<'min' | 'max', number>

/**
 * Returns the schema of an optional integer: other texts are ignored, an integer out of range is
 * 400.
 */
function optionalInteger(description: string, { min, max }: Range) {
  return value
    .transform((sent) => (integerText.test(sent ?? '') ? Number(sent) : undefined))
    .refine(
      (number) => number === undefined || (number >= min && number <= max),
      say('BETWEEN', { min, max }),
    )
    .meta({ type: 'integer', minimum: min, maximum: max, description })
}

/** Returns the schema of an integer with a default. */
export function integer(text: string, { fallback, ...range }: Range & { fallback: number }) {
  const description = `${text}. Default: ${fallback}`
  return optionalInteger(description, range).transform((number) => number ?? fallback)
}

/** A boolean, or undefined; other texts are 400. */
export const optionalBoolean = value
  .refine((sent) => sent === undefined || booleans.has(sent), texts.boolean)
  .transform((sent) => booleans.get(sent ?? ''))

/** Returns the schema of a boolean with a default; other texts are 400. */
export function boolean(fallback: boolean) {
  return optionalBoolean.transform((sent) => sent ?? fallback).meta({ type: 'boolean' })
}

/** Returns the schema of an optional ID with the prefix. */
export function optionalId(prefix: string) {
  return value
    .refine((sent) => sent === undefined || isId(prefix, sent), {
      error: ({ input }) => idProblem(prefix, String(input)),
    })
    .meta({ type: 'string', pattern: idPattern(prefix) })
}

const cursorText =
  'Cursor: the list continues behind an earlier page. Take it from the Link header or nextCursor'

/** Returns the schema of a list of values from `allowed`, separated by commas; empty if unset. */
export function listOf(allowed: readonly string[], description: string) {
  const one = `(?:${allowed.map((text) => text.replaceAll('.', '\\.')).join('|')})`
  return value
    .transform((sent, context) => {
      const all = sent?.split(',') ?? []
      const unknown = all.filter((text) => !allowed.includes(text)).slice(0, unknownMax)
      const named = unknown
        .slice(0, unknownMax)
        .map((text) => text || 'a blank one')
        .join(', ')
      if (named !== '') context.addIssue(`does not know ${named}: use ${allowed.join(', ')}`)
      return all
    })
    .meta({ type: 'string', pattern: `^${one}(?:,${one})*$`, description })
}

/** Returns the schema of a cursor, or of a word such as `latest` that names a position. */
export function cursorOr<Word extends string, Schema extends z.ZodType>(
  word: Word,
  position: Schema,
  description: string,
) {
  return value
    .transform((sent, context): Word | z.output<Schema> | undefined => {
      if (sent === undefined || sent === word) return sent as Word | undefined
      const found = decodeCursor(position, sent)
      if (found === null) context.addIssue(`must be ${word}, or a cursor from an earlier answer`)
      return found ?? undefined
    })
    .meta({ type: 'string', description })
}

/** Returns the schema of a cursor, parsed to the list's position (docs/api/lists.md#paging). */
function cursor<Schema extends z.ZodType>(position: Schema) {
  return value
    .transform((sent, context) => {
      if (sent === undefined) return undefined
      const found = decodeCursor(position, sent)
      if (found === null) context.addIssue(say('CURSOR'))
      return found ?? undefined
    })
    .meta({ type: 'string', description: cursorText })
}

const dayOrInstant = `must be a day like 2026-01-31, or an instant like 2026-01-31T00:00:00Z`

/**
 * The optional end of a range, as a protobuf Timestamp: `endDay` for a calendar day, `end` for an
 * RFC 3339 timestamp (docs/api.md#time).
 */
export const optionalEnd = value
  .transform((sent, context) => {
    if (sent === undefined) return {}
    if (isDay(sent)) return { endDay: sent }
    const { data: end, error } = timestamp.safeParse(sent)
    if (end) return { end }
    const [{ message = '' } = {}] = error.issues
    context.addIssue(message === texts.timestamp ? dayOrInstant : message)
    return z.NEVER
  })
  .meta({ type: 'string', anyOf: [dayShape, timestampShape] })

/** Number of entries in a page without `limit`. */
export const pageSizeDefault = 25
const pageSizeMax = 100
const pageSize = 'Maximum number of entries in the page; a page may have fewer'

/** Returns the schema of the query of a list with cursor pagination (docs/api/lists.md#paging). */
export function paged<Position extends z.ZodType>(position: Position) {
  return z.object({
    limit: integer(pageSize, { fallback: pageSizeDefault, min: 1, max: pageSizeMax }),
    after: cursor(position),
  })
}

/** Returns the schema of the query of a list whose cursor is the ID of an entry. */
export function pagedById(prefix: string) {
  const position = z.tuple([z.string().refine((sent) => isId(prefix, sent))])
  return paged(position.transform(([id]) => id))
}

/**
 * Returns the schema of the query of a list that is returned as a whole, unless the client pages it
 * by IDs.
 */
export function wholeListPage(prefix: string) {
  const text = `${pageSize}. Default: the whole list, or ${pageSizeDefault} with after`
  return pagedById(prefix).extend({ limit: optionalInteger(text, { min: 1, max: pageSizeMax }) })
}

/** Returns the schema of a parameter that adds an optional part to the answer. */
export function included(part: string, description: string) {
  return value
    .refine((sent) => sent === undefined || sent === part, `must be ${part}`)
    .meta({ type: 'string', enum: [part] })
    .describe(description)
}

/** Returns the schema of a comma-separated list of keys from `allowed`. */
export function keyList(allowed: readonly string[]) {
  const key = `(?:${allowed.join('|')})`
  const named = allowed.join(', ')
  return value
    .transform((sent, context) => {
      const keys = sent?.split(',')
      const unknown = keys?.filter((one) => !allowed.includes(one)) ?? []
      if (unknown.length > 0) {
        const refused = unknown.map((one) => (one === '' ? 'a blank key' : one))
        context.addIssue(`does not know ${refused.join(', ')}: use ${named}`)
      }
      return keys
    })
    .meta({
      type: 'string',
      pattern: `^${key}(?:,${key})*$`,
      description:
        'Only these keys of the answer or of each entry, by commas; the others are missing, also ' +
        `those that its schema requires: ${named}`,
    })
}

/** Returns the schema of an optional value from `allowed`. */
export function optionalChoice(allowed: readonly string[], description: string) {
  return value
    .refine((sent) => sent === undefined || allowed.includes(sent), {
      error: say('NOT_ONE_OF', { values: allowed.join(', ') }),
    })
    .meta({ type: 'string', enum: allowed, description })
}

/** Number of entries that a page skips. */
export const offset = integer('Number of entries to skip at the beginning of the list', {
  fallback: 0,
  min: 0,
  max: integerMax,
})

/** An optional search text; a blank one counts as not sent. */
export const searchText = value
  .pipe(text.optional())
  .transform((sent) => sent || undefined)
  .meta({ type: 'string', ...lineShape({ min: 0, max: 300 }) })

/** Query of CSV mappings: all, or those with one signature (a hash of the column names). */
export const mappingPage = pagedById('txix')
  .extend({
    signature: searchText.describe('Only mappings with this signature, that of an import'),
    limit: integer(pageSize, { fallback: 10, min: 1, max: 10 }),
    offset,
  })
  .superRefine(({ after, offset: skipped }, context) => {
    if (after === undefined || skipped === 0) return
    const message = 'does not go with after: follow the Link header'
    context.addIssue({ code: 'custom', path: ['offset'], message })
  })

/** Returns the names of the parameters in the schema of a query. */
export function namesOf(schema: z.ZodType | undefined): string[] {
  return schema instanceof z.ZodObject ? Object.keys(schema.shape) : []
}

/** Throws invalid for unknown parameters, and suggests the likely intended names. */
export function requireKnown(query: unknown, names: readonly string[]): void {
  const isUnknown = (name: string) => !name.startsWith('_') && !names.includes(name)
  const unknown = Object.keys(query as object).filter(isUnknown)
  if (unknown.length === 0) return
  const all = names.length > 0 ? `use ${names.join(', ')}` : 'this request takes none'
  const problemOf = (sent: string) => {
    const meant = similarKey(sent, names)
    return `no such parameter: ${meant ? `write ${meant}` : all}`
  }
  throw invalid(Object.fromEntries(unknown.map((name) => [name, problemOf(name)])))
}

/**
 * Returns the parser of the query of requests, which ignores unknown keys and throws invalid for
 * invalid values. Most requests have no query, whose result is always the same.
 */
export function queryParser<Schema extends z.ZodType>(schema: Schema) {
  let ofNone: z.ZodSafeParseResult<z.output<Schema>> | undefined
  const parseNone = () => {
    ofNone ??= schema.safeParse({})
    return ofNone
  }
  return (query: object): z.output<Schema> => {
    const parsed = Object.keys(query).length === 0 ? parseNone() : schema.safeParse(query)
    if (parsed.success) return parsed.data
    throw invalid(
      Object.fromEntries(parsed.error.issues.map((one) => [one.path.join('.'), one.message])),
    )
  }
}
