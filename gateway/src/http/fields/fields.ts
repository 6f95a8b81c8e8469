import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { currencies } from '@coffer/kit/values/currency'
import { isId } from '@coffer/kit/values/id'
import { withoutJoiners } from '@coffer/kit/values/printable'
import { readRuleset } from '@coffer/kit/values/ruleset'
import { isYearInRange, yearFirst, yearLast } from '@coffer/kit/values/time'
import { DateTime } from 'luxon'
import { z } from 'zod'
import { isDay, missingDay } from './day.ts'
import { idFault } from './id-fault.ts'
import {
  appPathShape,
  currencyShape,
  filledShape,
  formShape,
  lineShape,
  rulesetShape,
  timestampShape,
  urlShape,
} from './shapes.ts'

/** Texts of problems that several fields use (docs/api/errors.md). */
export const texts = {
  missing: say('KEY_MISSING'),
  blank: say('BLANK'),
  null: say('NOT_NULL'),
  unknown: say('KEY_UNKNOWN'),
  repeated: say('KEY_REPEATED'),
  printable: say('NOT_PRINTABLE'),
  integer: say('NOT_INTEGER'),
  safe: say('INTEGER_RANGE', { min: -9007199254740991, max: 9007199254740991 }),
  boolean: say('NOT_BOOLEAN'),
  string: say('NOT_STRING'),
  timestamp: say('NOT_TIMESTAMP', { example: '2026-01-31T00:00:00Z' }),
  years: say('YEAR_RANGE', { min: yearFirst, max: yearLast }),
} as const

const rfc3339 =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const dayOnly = /^(\d{4}-\d\d-\d\d)(?:T00:00(?::00(?:\.0+)?)?)?$/

/** Returns an error map: a text for a missing key, one for null, and `text` for a wrong type. */
export function typed(text: string) {
  return ({ input }: { input?: unknown }) => {
    if (input === undefined) return texts.missing
    return input === null ? texts.blank : text
  }
}

/** Returns options of a check that stops validation, so that only the first problem is shown. */
export function rule(text: string) {
  return { error: text, abort: true }
}

/** A text of any length. */
export const string = z.string({ error: typed(texts.string) })

/** A text that the client clears by sending blanks, not null. */
const clearable = z.string({
  error: ({ input }) => (input === undefined ? texts.missing : texts.string),
})

/** A text that is not blank after trimming. */
export const filled = string.trim().refine((value) => value !== '', rule(texts.blank))

/**
 * Returns whether a text has `min` to `max` characters (code points of one or two UTF-16 units).
 * Check it first: other checks of a text of 6 MiB would block the event loop for a second.
 */
function hasLength(text: string, { min, max }: { min: number; max: number }): boolean {
  if (text.length < min || text.length > 2 * max) return false
  const { length } = [...text]
  return length >= min && length <= max
}

// Letters, marks, numbers, punctuation, symbols and the plain space.
const printableLine = /^[\p{L}\p{M}\p{N}\p{P}\p{S} ]*$/u
const printableLines = /^[\p{L}\p{M}\p{N}\p{P}\p{S} \t\r\n]*$/u

const kinds = {
  plain: (text: string) => printableLine.test(text),
  // Free texts may have joiners (ZWJ, ZWNJ) between characters (docs/api.md#bodies).
  free: (text: string) => printableLine.test(withoutJoiners(text)),
  lines: (text: string) => printableLines.test(withoutJoiners(text)),
}

/** Returns the schema of a printable text, trimmed, in NFC, of `min` to `max` characters. */
export function line(
  { min, max }: { min: number; max: number },
  kind: keyof typeof kinds = 'plain',
) {
  return (
    (min === 0 ? clearable : string)
      .trim()
      .refine((text) => min === 0 || text !== '', rule(texts.blank))
      .refine((text) => hasLength(text, { min, max }), rule(say('LENGTH', { min, max })))
      // NFC only after a length check: it takes quadratic time for many combining marks. Checked
      // again, as NFC may lengthen a text.
      .normalize('NFC')
      .refine((text) => hasLength(text, { min, max }), rule(say('LENGTH', { min, max })))
      .refine(kinds[kind], rule(texts.printable))
      .meta(lineShape({ min, max }, kind === 'lines' ? 'lines' : 'line'))
  )
}

/** A name: printable, 1 to 300 characters, not blank after trimming (docs/api.md#bodies). */
export const name = line({ min: 1, max: 300 }, 'free')

/** A free text: printable, up to 300 characters, may be blank (docs/api.md#bodies). */
export const text = line({ min: 0, max: 300 }, 'free')

/** Notes: printable, up to 2,000 characters in any number of lines, may be blank. */
export const notes = line({ min: 0, max: 2000 }, 'lines')

const phraseRange = { min: 1, max: 1000 }

/** A search phrase: any text of 1 to 1000 characters, not blank after trimming. */
export const phrase = filled
  .refine((value) => hasLength(value, phraseRange), rule(say('TOO_LONG', { max: 1000 })))
  .meta(filledShape(phraseRange))

/**
 * A path within the app. Prevents open redirects: a path that begins with `//` would name another
 * host.
 */
export const appPath = line({ min: 1, max: 300 })
  .refine((value) => /^\/(?!\/)/.test(value), rule(say('APP_PATH')))
  .meta(appPathShape)

/** Maximum length in characters of a ruleset (docs/limits.md). */
const rulesetLengthMax = 1000

/** DTSTART and RRULE of RFC 5545 (docs/recurrence.md#rules-accepted). */
export const ruleset = filled
  .refine(
    (value) => value.length <= rulesetLengthMax,
    rule(say('TOO_LONG', { max: rulesetLengthMax })),
  )
  .superRefine((value, context) => {
    const read = readRuleset(value)
    if ('rule' in read) return
    context.addIssue({ code: 'custom', message: read.problem, continue: false })
  })
  .meta(rulesetShape(rulesetLengthMax))

export function list<Schema extends z.ZodType>(schema: Schema) {
  return z.array(schema, { error: typed(say('NOT_LIST')) })
}

/** Returns the schema of a closed object, which refuses unknown keys. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: typed(say('NOT_OBJECT')) })
}

/** Returns the schema of an ID with the prefix; every character is checked (docs/api.md#ids). */
export function id(prefix: string) {
  return string
    .trim()
    .refine((value) => isId(prefix, value), {
      error: ({ input }) => idProblem(prefix, String(input)),
      abort: true,
    })
    .meta(formShape(idForm(prefix)))
}

/** Returns the problem of a text that is not an ID with the prefix. */
export function idProblem(prefix: string, text: string): string {
  return say('ID_MALFORMED', { prefix, fault: idFault(prefix, text) })
}

/** Returns the regular expression of IDs with the prefix, for the OpenAPI document. */
export function idPattern(prefix: string): string {
  return `^${idForm(prefix)}$`
}

function idForm(prefix: string): string {
  return `${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}`
}

const integer = z.int({
  error: (issue) => (issue.code === 'invalid_type' ? typed(texts.integer)(issue) : texts.safe),
})

/** An amount in minor units, as bigint. */
export const money = integer.transform(BigInt)

/** An amount in minor units other than 0, as bigint. */
export const nonZeroMoney = integer
  .refine((value) => value !== 0, rule(say('ZERO')))
  .transform(BigInt)
  .meta({ not: { const: 0 } })

/** An amount in minor units above 0, as bigint. */
export const positiveMoney = integer
  .refine((value) => value > 0, rule(say('NOT_POSITIVE')))
  .transform(BigInt)
  .meta({ minimum: 1 })

/** An amount in minor units, 0 or more, as bigint. */
export const notNegativeMoney = integer
  .refine((value) => value >= 0, rule(say('NEGATIVE')))
  .transform(BigInt)
  .meta({ minimum: 0 })

/** Days after a due date in which unspent money stays in the envelope, 0 to 14 (docs/limits.md). */
export const graceDays = integer
  .refine((value) => value >= 0 && value <= 14, rule(say('RANGE', { min: 0, max: 14 })))
  .meta({ minimum: 0, maximum: 14 })

export const boolean = z.boolean({ error: typed(texts.boolean) })

/** An RFC 3339 timestamp with an offset, parsed to a protobuf Timestamp (docs/api.md#time). */
export const timestamp = filled
  .toUpperCase() // RFC 3339 5.6: T and Z may be lower case.
  .superRefine((value, context) => {
    const message = missingDay(value)
    if (message !== null) {
      context.addIssue({ code: 'custom', message, continue: false })
      return
    }
    if (rfc3339.test(value)) return
    const [, day = ''] = dayOnly.exec(value) ?? []
    // For `problemsOfIssues`, which suggests a midnight in the account's timezone: of `day`, or an
    // example.
    const params = isDay(day) ? { day } : { isInstant: true }
    context.addIssue({ code: 'custom', message: texts.timestamp, params, continue: false })
  })
  .transform((value) => DateTime.fromISO(value, { zone: 'utc' }))
  .refine(({ isValid }) => isValid, rule(texts.timestamp))
  .refine(({ year }) => isYearInRange(year), rule(texts.years))
  .transform((instant) => timestampFromDate(instant.toJSDate()))
  .meta(timestampShape)

/** Returns the schema of an enumeration; its problem lists the accepted values. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  return z.enum(values, { error: typed(say('NOT_ONE_OF', { values: values.join(', ') })) })
}

/** Returns the schema of a constant: the discriminator of a union. */
export function exactly<const Value extends string>(value: Value) {
  return z.literal(value, { error: typed(`must be ${value}`) })
}

/** Returns the schema of null or a value; both problems are reported, null first. */
export function nullOr<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.null({ error: texts.null }), schema])
}

/** Returns the schema of an optional value; null counts as not sent. */
export function ignoringNull<Schema extends z.ZodType>(schema: Schema) {
  return nullOr(schema)
    .transform((value) => value ?? undefined)
    .optional()
}

/** An ISO 4217 code that a bank account can have (docs/api.md#money). */
export const currency = filled
  .refine((value) => currencies().includes(value), rule(say('CURRENCY')))
  .meta(currencyShape)

/** A mask: the last four digits of a bank account's number. */
export const mask = string
  .trim()
  .regex(/^\d{4}$/, rule(say('MASK_DIGITS')))
  .meta(formShape('\\d{4}'))

/** A bank account's mask in a PATCH: any four characters (docs/links.md#bank-accounts). */
export const maskChange = line({ min: 0, max: 300 })
  .refine((value) => hasLength(value, { min: 4, max: 4 }), rule(say('MASK_LENGTH')))
  .meta(lineShape({ min: 4, max: 4 }))

/** The base URL of a feed provider; feed-sync checks it against the allowed URLs. */
export const feedUrl = filled
  .refine((value) => value.length <= 2000 && URL.canParse(value), rule(say('NOT_URL')))
  .refine((value) => /^https?:$/.test(new URL(value).protocol), rule(say('URL_NOT_HTTP')))
  .refine((value) => new URL(value).search === '', rule(say('URL_QUERY')))
  .refine(
    (value) => new URL(value).username === '' && new URL(value).password === '',
    rule(say('URL_CREDENTIALS')),
  )
  .meta(urlShape)

/** The feed provider's API key: 1 to 100 letters and digits (docs/banks/feed.md#urls). */
export const feedApiKey = filled
  .regex(/^[A-Za-z0-9]{1,100}$/, rule(say('FEED_KEY')))
  .meta(formShape('[A-Za-z0-9]{1,100}'))
