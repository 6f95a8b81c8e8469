import { invalid, type Problems, refused } from '@coffer/kit/rpc/errors'
import type { ConnectError } from '@connectrpc/connect'
import { z } from 'zod'
import { problemsOfIssues } from '../errors/problems.ts'
import { intendedShape } from './intended-shape.ts'
import { placeOfJsonFault } from './json-fault.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

/**
 * Reads a JSON body of that shape. Throws what a client gets: 400 for an empty body, bad JSON or
 * anything but an object, 415 for another content type, 400 with problems for the rest
 * (spec/decisions.md, General). `timezone` is that of the account, for texts about days.
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  sent: { bytes: unknown; contentType: string | undefined; timezone?: string },
): z.output<Schema> {
  const { bytes, contentType, timezone = '' } = sent
  const type = mediaType(contentType)
  if (type !== '' && type !== 'application/json') throw wrongType('application/json')
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw refused('a JSON body is required')
  if (type === '') throw wrongType('application/json')
  requireFewValues(bytes)
  const body = readObject(bytes)
  const parsed = schema.safeParse(body)
  if (parsed.success) return parsed.data
  throw schema instanceof z.ZodUnion
    ? refusalOfShapes(schema, body, timezone)
    : invalid(problemsOf(schema, body, timezone))
}

// Far above the largest body of the interface; what is above it would hold up everybody else.
const valuesMax = 20_000

/** Refuses a body of very many values before any work goes into it; commas stand for values. */
function requireFewValues(bytes: Uint8Array): void {
  let values = 1
  for (let at = bytes.indexOf(0x2c); at >= 0; at = bytes.indexOf(0x2c, at + 1)) {
    values += 1
    if (values > valuesMax) throw refused(`the body has more than ${valuesMax} values`)
  }
}

/** The refusal of a body that is not of the expected kind: 415. */
export function wrongType(expected: string) {
  return refused(`the content type must be ${expected}`, { status: 415 })
}

/** The content type without its parameters, in lower case. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function problemsOf(schema: z.core.$ZodType, body: object, timezone: string): Problems {
  return problemsOfIssues(z.safeParse(schema, body).error?.issues ?? [], timezone)
}

/** Every shape is reported, the one that was meant first. */
function refusalOfShapes({ options }: z.ZodUnion, body: object, timezone: string): ConnectError {
  const intended = intendedShape(options, body)
  const first = options.filter((_, index) => index === intended?.index)
  const others = options.filter((_, index) => index !== intended?.index)
  const shapes = [...first, ...others].map((shape) => problemsOf(shape, body, timezone))
  const text = intended
    ? `Invalid request: problems.oneOf[0] is for the shape that ${intended.sign} stands for`
    : undefined
  return invalid({ oneOf: Object.fromEntries(Object.entries(shapes)) }, text)
}

function readObject(bytes: Uint8Array): object {
  const text = readText(bytes)
  let value: unknown
  try {
    value = mayHaveFraction.test(text) ? JSON.parse(text, exactNumber) : JSON.parse(text)
  } catch {
    throw refused(`the body is not well-formed JSON${placeOfJsonFault(text)}`)
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

// Being asked for every value makes reading several times slower.
const mayHaveFraction = /\d[.eE]/

// An integer written with a fraction too fine for a double would be rounded in silence. Integers
// beyond 2^53 need no care: they stay beyond when rounded, and are refused there.
function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const source = context?.source ?? ''
  const isRounded = Number.isInteger(value) && !isPlain(source) && isFraction(source)
  return isRounded ? Number.NaN : value
}

function isPlain(source: string): boolean {
  return /^-?\d+(\.0*)?$/.test(source)
}

/** Whether a decimal, maybe with an exponent, has digits behind the point that are not 0. */
function isFraction(source: string): boolean {
  const [, whole = '', part = '', exponent = '0'] =
    /^-?(\d+)(?:\.(\d*))?(?:[eE]([+-]?\d+))?$/.exec(source) ?? []
  const point = whole.length + Number(exponent)
  return /[1-9]/.test(`${whole}${part}`.slice(Math.max(0, point)))
}
