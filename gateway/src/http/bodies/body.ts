import { say } from '@coffer/kit/reasons/reasons'
import { invalid, type Problems, refused } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { z } from 'zod'
import { intendedShape } from '../errors/intended-shape.ts'
import { problemsOfIssues } from '../errors/problems.ts'
import { texts } from '../fields/fields.ts'
import { requireBounded } from './body-bounds.ts'
import { locateJsonFault } from './json-fault.ts'
import { repeatedKey } from './repeated-key.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Parses a JSON body by a schema (docs/api.md#bodies). Throws refused: 400 for an empty body, bad
 * JSON or anything but an object, 415 for another content type. Throws invalid with problems by
 * field. `timezone` is the account's IANA name, for problems about days; `tokensMax` is a bound of
 * the route.
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  sent: {
    bytes: unknown
    contentType: string | undefined
    tokensMax: number
    timezone?: string
  },
): z.output<Schema> {
  const { bytes, contentType, tokensMax, timezone = '' } = sent
  const type = mediaType(contentType)
  if (type !== '' && type !== 'application/json') throw wrongType('application/json')
  if (!isUtf8(contentType)) throw wrongType('application/json; charset=utf-8')
  if (!(bytes instanceof Uint8Array) || bytes.length === 0)
    throw refused('a JSON body is required: send an object, at least {}')
  if (type === '') throw wrongType('application/json')
  requireBounded(bytes, { tokensMax })
  const body = readObject(bytes)
  requireUniqueKeys(bytes, body)
  return readFields(schema, body, timezone)
}

/**
 * Refuses duplicate keys in an object. Throws invalid, or refused (400) if the key cannot be named.
 */
function requireUniqueKeys(bytes: Uint8Array, body: object): void {
  const path = repeatedKey(bytes, body)
  if (path === null) return
  if (path.length === 0) throw refused('the body has a key twice in one object: send it once')
  throw invalid(problemsOfIssues([{ code: 'custom', path, message: texts.repeated, input: body }]))
}

/** Parses the fields of a body by a schema. Throws invalid with problems by field. */
export function readFields<Schema extends z.ZodType>(
  schema: Schema,
  body: object,
  timezone = '',
): z.output<Schema> {
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw schema instanceof z.ZodUnion
    ? refusalOfShapes(schema, body, timezone)
    : invalid(problemsOf(schema, body, timezone))
}

/** Returns the refusal (415) of a body with another content type. */
export function wrongType(expected: string) {
  return refused(`the content type must be ${expected}`, { status: 415 })
}

/** Returns the media type of a Content-Type: without parameters, in lower case; '' if missing. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

/** Returns whether a Content-Type has no charset, or UTF-8, the only one of JSON. */
function isUtf8(contentType: string | undefined): boolean {
  const [, charset] = /;\s*charset="?([^";\s]+)/i.exec(contentType ?? '') ?? []
  return charset === undefined || charset.toLowerCase() === 'utf-8'
}

function problemsOf(schema: z.core.$ZodType, body: object, timezone: string): Problems {
  return problemsOfIssues(z.safeParse(schema, body).error?.issues ?? [], timezone)
}

/**
 * Returns a refusal with the problems of each shape of a union, the intended shape first
 * (docs/api/errors.md).
 */
function refusalOfShapes({ options }: z.ZodUnion, body: object, timezone: string): ConnectError {
  const intended = intendedShape(options, body)
  const first = options.filter((_, index) => index === intended?.index)
  const others = options.filter((_, index) => index !== intended?.index)
  const shapes = [...first, ...others].map((shape) => problemsOf(shape, body, timezone))
  const text = intended ? say('INVALID_SHAPE', { sign: intended.sign }) : undefined
  return invalid({ oneOf: Object.fromEntries(Object.entries(shapes)) }, text)
}

function readObject(bytes: Uint8Array): object {
  const text = readText(bytes)
  let value: unknown
  try {
    value = mayHaveFraction.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text)
  } catch {
    throw refused(`the body is not well-formed JSON${locateJsonFault(text)}`)
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw refused('the body must be a JSON object')
}

function readText(bytes: Uint8Array): string {
  try {
    return utf8.decode(bytes)
  } catch {
    throw refused('the body is not well-formed JSON: it is not UTF-8')
  }
}

// Performance: a reviver makes JSON.parse several times slower, so it runs only if a number may be
// a fraction.
const mayHaveFraction = /\d[.eE]/

// JSON.parse would silently round a fraction that is too fine for a double to an integer. Integers
// beyond 2^53 stay beyond it when rounded: the schema refuses them.
function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? ''
  const isRounded = Number.isInteger(value) && !isPlain(source) && isFraction(source)
  return isRounded ? Number.NaN : value
}

function isPlain(source: string): boolean {
  return /^-?\d+(\.0*)?$/.test(source)
}

/** Returns whether a decimal, with its exponent applied, has digits above 0 after the point. */
function isFraction(source: string): boolean {
  const [, whole = '', part = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const point = whole.length + Number(exponent)
  return /[1-9]/.test(`${whole}${part}`.slice(Math.max(0, point)))
}
