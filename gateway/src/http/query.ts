import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { invalid } from '@coffer/kit/rpc/errors'
import { idFault, isId } from '@coffer/kit/values/id'
import { z } from 'zod'
import { idPattern, idProblem, isDay, text, texts, timestamp } from './bodies/fields.ts'
import { placeOf } from './cursor.ts'

// Anything else counts as not sent; 32 bits bound the rest (spec/interface.md, Limits).
const integerText = /^[+-]?\d+$/
const integerMax = 2 ** 31 - 1

const booleans = new Map([
  ...['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true] as const),
  ...['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false] as const),
])

/** A query value, or undefined; of a repeated one the first counts. A blank one is sent. */
const value = z.preprocess((sent) => (Array.isArray(sent) ? sent[0] : sent), z.string().optional())

/** An integer; missing, blank or unreadable gives the default, out of range is 400. */
function integer(range: { fallback: number; min: number; max: number }) {
  const { fallback, min, max } = range
  const refusal = `must be between ${min} and ${max}`
  return value
    .transform((sent) => (integerText.test(sent ?? '') ? Number(sent) : fallback))
    .refine((number) => number >= min && number <= max, refusal)
    .meta({ type: 'integer', minimum: min, maximum: max, description: whenUnset(fallback) })
}

/** A boolean; missing or unreadable gives the default. */
export function boolean(fallback: boolean) {
  return value
    .transform((sent) => booleans.get(sent ?? '') ?? fallback)
    .meta({ type: 'boolean', description: whenUnset(fallback) })
}

/** An ID of that kind. */
export function optionalId(prefix: string) {
  return value
    .refine((sent) => sent === undefined || isId(prefix, sent), {
      error: ({ input }) => idProblem(prefix, String(input)),
    })
    .meta({ type: 'string', pattern: idPattern(prefix) })
}

/** A place where an earlier page of the same list has ended. */
export function cursor<Schema extends z.ZodType>(place: Schema) {
  return value
    .transform((sent, context) => {
      if (sent === undefined) return undefined
      const found = placeOf(place, sent)
      if (found === null) context.addIssue('must be where a page of this list has ended')
      return found ?? undefined
    })
    .meta({ type: 'string', description: 'continues after an earlier page' })
}

/** How many a page of transactions or of history holds (spec/interface.md, Limits). */
export const pageLimit = integer({ fallback: 25, min: 1, max: 100 })

/** An instant. */
export const optionalInstant = value
  .pipe(timestamp.optional())
  .meta({ type: 'string', format: 'date-time' })

/** Pages by offset (spec/interface.md, Limits). */
const page = z.object({
  limit: pageLimit,
  offset: integer({ fallback: 0, min: 0, max: integerMax }),
})

const day = value
  .refine((sent) => sent === undefined || isDay(sent), 'must be a day like 2026-01-31')
  .meta({ type: 'string', format: 'date', description: "a day in the account's timezone" })

/** A text; a blank one asks for nothing. */
const searched = value.pipe(text.optional()).transform((sent) => sent || undefined)

const search = searched.meta({
  type: 'string',
  description: 'a part of one of its texts, in any case',
})

const pending = value
  .refine((sent) => sent === undefined || booleans.has(sent), texts.boolean)
  .transform((sent) => (sent === undefined ? undefined : booleans.get(sent)))
  .meta({ type: 'boolean', description: 'all when it is not sent' })

const place = z
  .tuple([
    z.iso.datetime().refine((sent) => sent >= '1900' && sent < '2200'),
    z.string().refine((sent) => isId('txn', sent)),
  ])
  .transform(([date, transactionId]) => ({
    date: timestampFromDate(new Date(date)),
    transactionId,
  }))

const filters = { search, from: day, to: day, pending, after: cursor(place) }

/** What transactions may be filtered by beside pages; filtered pages go on by `after`. */
function filtered<Shape extends z.ZodRawShape>(more: Shape) {
  return page.extend({ ...filters, ...more }).superRefine((sent, context) => {
    const { limit: _, offset, from, to, ...others } = sent as z.output<typeof transactionPage>
    if (from && to && from > to) {
      context.addIssue({ code: 'custom', path: ['to'], message: 'must not be before from' })
    }
    const isFiltered = [from, to, ...Object.values(others)].some((one) => one !== undefined)
    if (offset > 0 && isFiltered) {
      const message = 'does not go with filters or after: follow the Link header'
      context.addIssue({ code: 'custom', path: ['offset'], message })
    }
  })
}

/** Pages of the transactions of an envelope. */
export const transactionPage = filtered({})

/** Pages of transactions; `spendingId` is an envelope, or free for none. */
export const accountTransactionPage = filtered({ spendingId: envelopeOrFree() })

function envelopeOrFree() {
  return value
    .refine((sent) => sent === undefined || sent === 'free' || isId('spnd', sent), {
      error: ({ input }) =>
        `must be free or an ID that begins with spnd_: ${idFault('spnd', String(input))}`,
    })
    .meta({
      anyOf: [{ const: 'free' }, { pattern: idPattern('spnd') }],
      description: 'only what this expense or goal paid for; free for what none did',
    })
}

/** Pages of import mappings, of one signature or all (spec/ledger.md 7.4). */
export const mappingPage = z.object({
  signature: searched.meta({ type: 'string' }),
  limit: integer({ fallback: 10, min: 1, max: 10 }),
  offset: integer({ fallback: 0, min: 0, max: integerMax }),
})

/** Reads the query of a request; keys nobody knows are ignored. Throws invalid. */
export function readQuery<Schema extends z.ZodType>(schema: Schema, query: unknown) {
  const parsed = schema.safeParse(query)
  if (parsed.success) return parsed.data
  throw invalid(
    Object.fromEntries(parsed.error.issues.map((one) => [one.path.join('.'), one.message])),
  )
}

function whenUnset(fallback: number | boolean): string {
  return `${fallback} when it is not sent`
}
