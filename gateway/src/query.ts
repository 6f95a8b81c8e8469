import { invalid } from '@coffer/kit/errors'
import { isId } from '@coffer/kit/id'
import { z } from 'zod'
import { placeOf } from './cursor.ts'
import { text, timestamp } from './fields.ts'

// Anything else counts as not sent; 32 bits bound the rest (spec/interface.md, Limits).
const integerText = /^[+-]?\d+$/
const integerMax = 2 ** 31 - 1

const booleans: Record<string, boolean> = {
  ...Object.fromEntries(['1', 't', 'T', 'TRUE', 'true', 'True'].map((text) => [text, true])),
  ...Object.fromEntries(['0', 'f', 'F', 'FALSE', 'false', 'False'].map((text) => [text, false])),
}

/** A query value, blank when not sent; of a repeated one the first counts. */
const value = z.preprocess((sent) => (Array.isArray(sent) ? sent[0] : sent) ?? '', z.string())

/** An integer; missing, blank or unreadable gives the default, out of range is 400. */
function integer(range: { fallback: number; min: number; max: number }) {
  const { fallback, min, max } = range
  const refusal = `must be between ${min} and ${max}`
  return value
    .transform((sent) => (integerText.test(sent) ? Number(sent) : fallback))
    .refine((number) => number >= min && number <= max, refusal)
    .meta({ type: 'integer', minimum: min, maximum: max, description: whenUnset(fallback) })
}

/** A boolean; missing or unreadable gives the default. */
export function boolean(fallback: boolean) {
  return value
    .transform((sent) => booleans[sent] ?? fallback)
    .meta({ type: 'boolean', description: whenUnset(fallback) })
}

/** An ID of that kind; blank counts as not sent. */
export function optionalId(prefix: string) {
  return value
    .refine(
      (sent) => sent === '' || isId(prefix, sent),
      `must be an ID that begins with ${prefix}_`,
    )
    .transform((sent) => (sent === '' ? undefined : sent))
    .meta({ type: 'string' })
}

/** A place where an earlier page of the same list has ended; blank counts as not sent. */
export function cursor<Schema extends z.ZodType>(place: Schema) {
  return value
    .transform((sent, context) => {
      if (sent === '') return undefined
      const found = placeOf(place, sent)
      if (found === null) context.addIssue('must be where a page of this list has ended')
      return found ?? undefined
    })
    .meta({ type: 'string', description: 'continues after an earlier page' })
}

/** How many a page of transactions or of history holds (spec/interface.md, Limits). */
export const pageLimit = integer({ fallback: 25, min: 1, max: 100 })

/** An instant; blank counts as not sent. */
export const optionalInstant = value
  .transform((sent) => (sent === '' ? undefined : sent))
  .pipe(timestamp.optional())
  .meta({ type: 'string', format: 'date-time' })

/** Pages of transaction lists (spec/interface.md, Limits). */
export const page = z.object({
  limit: pageLimit,
  offset: integer({ fallback: 0, min: 0, max: integerMax }),
})

/** Pages of import mappings, of one signature or all (spec/ledger.md 7.4). */
export const mappingPage = z.object({
  signature: value
    .pipe(text)
    .transform((sent) => (sent === '' ? undefined : sent))
    .meta({ type: 'string' }),
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
