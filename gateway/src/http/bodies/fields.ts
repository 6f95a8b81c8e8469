import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { currencies } from '@coffer/kit/values/currency'
import { idFault, isId } from '@coffer/kit/values/id'
import { readRuleset } from '@coffer/kit/values/ruleset'
import { DateTime } from 'luxon'
import { z } from 'zod'
import { isFreeLines, isFreeText, isPrintable } from './printable.ts'

/** Every text a client can see about a field of a request (spec/identity.md 2.4). */
export const texts = {
  missing: 'required key is missing',
  blank: 'cannot be blank',
  null: 'must be null',
  unknown: 'key not expected',
  printable: 'must have printable characters only',
  integer: 'must be an integer',
  safe: 'must be an integer between -9007199254740991 and 9007199254740991',
  boolean: 'must be a boolean',
  string: 'must be a string',
  timestamp: 'must be an RFC 3339 timestamp with an offset, like 2026-01-31T00:00:00Z',
  years: 'must lie between the years 1900 and 2199',
} as const

/** Kinds of IDs, by the names they have in paths and bodies (spec/ledger.md 8.1). */
export const idPrefixes: Record<string, string> = {
  apiKeyId: 'key',
  bankAccountId: 'bac',
  feedBankAccountId: 'lbac',
  feedLinkId: 'lfx',
  fundingScheduleId: 'fund',
  linkId: 'link',
  sessionId: 'sess',
  spendingId: 'spnd',
  transactionId: 'txn',
  transactionImportId: 'txim',
  transactionImportMappingId: 'txix',
  transactionUploadId: 'txup',
  userId: 'user',
}

/** Kinds of IDs that others make. */
export const foreignIds: Record<string, { prefix: string; form: RegExp }> = {
  checkoutSessionId: { prefix: 'cs', form: /^cs_\w{1,250}$/ },
}

const rfc3339 =
  /^\d{4}-\d\d-\d\dT([01]\d|2[0-3]):\d\d:\d\d(\.\d{1,9})?(Z|[+-]([01]\d|2[0-3]):[0-5]\d)$/

const dayOnly = /^(\d{4}-\d\d-\d\d)(?:T00:00(?::00(?:\.0+)?)?)?$/

/** Says that a key is missing, is null where a value is needed, or has the wrong JSON type. */
function typed(text: string) {
  return ({ input }: { input?: unknown }) => {
    if (input === undefined) return texts.missing
    return input === null ? texts.blank : text
  }
}

/** A rule that ends the check of its field: the first failing rule is the one reported. */
function rule(text: string) {
  return { error: text, abort: true }
}

const string = z.string({ error: typed(texts.string) })

/** Characters as a reader counts them in UTF-8 text: code points. */
function lengthOf(text: string): number {
  return [...text].length
}

function line(range: { min: number; max: number }, hasForm = isPrintable) {
  const { min, max } = range
  return string
    .trim()
    .refine((text) => min === 0 || text !== '', rule(texts.blank))
    .refine(hasForm, rule(texts.printable))
    .refine(
      (text) => lengthOf(text) >= min && lengthOf(text) <= max,
      rule(`must have ${min} to ${max} characters`),
    )
    .meta({ minLength: min, maxLength: max })
}

/** A name: printable, 1 to 300 characters, not blank after trimming (spec/ledger.md 0.3). */
export const name = line({ min: 1, max: 300 }, isFreeText)

/** A free text: printable, up to 300 characters, may be blank (spec/ledger.md 0.3). */
export const text = line({ min: 0, max: 300 }, isFreeText)

/** Notes: printable, up to 2,000 characters in any number of lines, may be blank. */
export const notes = line({ min: 0, max: 2000 }, isFreeLines)

/** What somebody looks for: any text of 1 to 1000 characters, not blank after trimming. */
export const phrase = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .refine((value) => lengthOf(value) <= 1000, rule('must have at most 1000 characters'))

/** A page of the app by its path; joined to the address of the app it cannot lead elsewhere. */
export const appPath = line({ min: 1, max: 300 }).refine(
  (value) => /^\/(?!\/)/.test(value),
  rule('must begin with one /'),
)

/** A password, trimmed; its length is counted in characters (spec/decisions.md, Identity). */
export const password = line({ min: 8, max: 72 })

/** What identity made and knows again: codes of authenticators, recovery codes, tokens. */
export const code = line({ min: 1, max: 100 })

// Made once: making it takes longer than asking it.
const emailForm = z.email()

/** An address that is valid and lower case; mixed case is refused, not changed. */
export const email = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .refine((value) => value === value.toLowerCase(), rule('must be lower case'))
  .refine(
    (value) => value.length <= 254 && emailForm.safeParse(value).success,
    rule('must be a valid email address'),
  )

/** An address as people type it: valid once it is in lower case. */
export const typedEmail = string.trim().toLowerCase().pipe(email)

/** The number that solves a challenge. */
export const nonce = z
  .int({ error: typed('must be an integer') })
  .refine((value) => value >= 0, rule('must not be negative'))
  .transform(BigInt)

/** A recurrence rule of RFC 5545 (spec/budgeting.md 1.4). */
export const ruleset = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .refine((value) => value.length <= 1000, rule('must have at most 1000 characters'))
  .superRefine((value, context) => {
    const read = readRuleset(value)
    if ('rule' in read) return
    context.addIssue({ code: 'custom', message: read.problem, continue: false })
  })

/** A list of such values. */
export function list<Schema extends z.ZodType>(schema: Schema) {
  return z.array(schema, { error: typed('must be a list') })
}

/** An object with these keys and no others. */
export function object<Shape extends z.ZodRawShape>(shape: Shape) {
  return z.strictObject(shape, { error: typed('must be an object') })
}

/** The ID of an object of that kind, checked whole (spec/decisions.md, General). */
export function id(prefix: string) {
  return string
    .trim()
    .refine((value) => isId(prefix, value), {
      error: ({ input }) => idProblem(prefix, String(input)),
      abort: true,
    })
    .meta({ pattern: idPattern(prefix) })
}

/** Why a text is no ID of that kind, for the client. */
export function idProblem(prefix: string, text: string): string {
  return `must be an ID that begins with ${prefix}_: ${idFault(prefix, text)}`
}

/** What IDs of a kind look like, for the reference. */
export function idPattern(prefix: string): string {
  return `^${prefix}_[0-7][0-9a-hjkmnp-tv-z]{25}$`
}

const integer = z.int({
  error: (issue) => (issue.code === 'invalid_type' ? typed(texts.integer)(issue) : texts.safe),
})

/** An amount in minor units, as bigint. */
export const money = integer.transform(BigInt)

/** An amount that moves something in one direction or the other. */
export const nonZeroMoney = integer
  .refine((value) => value !== 0, rule('must not be 0'))
  .transform(BigInt)

export const positiveMoney = integer
  .refine((value) => value > 0, rule('must be greater than 0'))
  .transform(BigInt)

export const notNegativeMoney = integer
  .refine((value) => value >= 0, rule('must not be negative'))
  .transform(BigInt)

export const boolean = z.boolean({ error: typed(texts.boolean) })

/** Whether the text is a calendar day of the years that dates may have. */
export function isDay(text: string): boolean {
  const [year = ''] = /^\d{4}(?=-\d\d-\d\d$)/.exec(text) ?? []
  const isInRange = year >= '1900' && year < '2200'
  return isInRange && DateTime.fromISO(text, { zone: 'utc' }).isValid
}

/** An RFC 3339 timestamp with an offset, as a protobuf Timestamp. */
export const timestamp = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .superRefine((value, context) => {
    if (rfc3339.test(value)) return
    const [, day = ''] = dayOnly.exec(value) ?? []
    // The problem's text names the instant of the day in the account's timezone.
    const params = isDay(day) ? { day } : {}
    context.addIssue({ code: 'custom', message: texts.timestamp, params, continue: false })
  })
  .transform((value) => DateTime.fromISO(value, { zone: 'utc' }))
  .refine(({ isValid }) => isValid, rule(texts.timestamp))
  .refine(({ year }) => year >= 1900 && year < 2200, rule(texts.years))
  .transform((instant) => timestampFromDate(instant.toJSDate()))
  .meta({ format: 'date-time' })

/** One of the values; anything else names what is accepted. */
export function oneOf<const Value extends string>(values: readonly [Value, ...Value[]]) {
  return z.enum(values, { error: typed(`must be one of: ${values.join(', ')}`) })
}

/** The value that tells one shape of a body from another. */
export function exactly<const Value extends string>(value: Value) {
  return z.literal(value, { error: typed(`must be ${value}`) })
}

/** Null or a value; both problems are reported, null first (spec/interface.md, Errors 3). */
export function nullOr<Schema extends z.ZodType>(schema: Schema) {
  return z.union([z.null({ error: texts.null }), schema])
}

/** Null, which counts as not sent, or a value. */
export function ignoringNull<Schema extends z.ZodType>(schema: Schema) {
  return nullOr(schema)
    .transform((value) => value ?? undefined)
    .optional()
}

/** A currency an account may be kept in (spec/decisions.md, Ledger). */
export const currency = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .refine((value) => currencies().includes(value), rule('must be an ISO 4217 currency code'))

/** The four digits a bank prints of an account's number. */
export const mask = string.trim().regex(/^\d{4}$/, rule('must be exactly 4 digits'))

/** What a mask may be changed to: four characters (spec/interface.md, Bank accounts). */
export const maskChange = line({ min: 0, max: 300 }).refine(
  (value) => lengthOf(value) === 4,
  rule('must have exactly 4 characters'),
)

export const accountType = oneOf(['depository', 'credit', 'loan', 'investment', 'other'])

export const accountSubType = oneOf([
  'checking',
  'savings',
  'hsa',
  'cd',
  'money market',
  'paypal',
  'prepaid',
  'cash management',
  'ebt',
  'credit card',
  'auto',
  'other',
])

export const accountStatus = oneOf(['active', 'inactive', 'unknown'])

/** The base URL of a feed provider; whether it is allowed is feed-sync's to say. */
export const feedUrl = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .refine((value) => value.length <= 2000 && URL.canParse(value), rule('must be a URL'))
  .refine((value) => /^https?:$/.test(new URL(value).protocol), rule('must be http or https'))
  .refine((value) => new URL(value).search === '', rule('must have no query parameters'))
  .refine(
    (value) => new URL(value).username === '' && new URL(value).password === '',
    rule('must have no credentials'),
  )

/** The provider's key: 1 to 100 letters and digits (spec/interface.md, Limits). */
export const feedApiKey = string
  .trim()
  .refine((value) => value !== '', rule(texts.blank))
  .regex(/^[A-Za-z0-9]{1,100}$/, rule('must be 1 to 100 letters and digits'))
