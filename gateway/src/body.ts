import { invalid, refused } from '@coffer/kit/errors'
import type { z } from 'zod'
import { problemsOfIssues } from './problems.ts'

const utf8 = new TextDecoder('utf-8', { fatal: true })

// An integer written with a fraction too fine for a double would be rounded in silence.
const fraction = /^-?\d+\.\d*[1-9]\d*$/

/**
 * Reads a JSON body of that shape. Throws what a client gets: 400 for an empty body, bad JSON or
 * anything but an object, 415 for another content type, 400 with problems for the rest
 * (spec/decisions.md, General).
 */
export function readBody<Schema extends z.ZodType>(
  schema: Schema,
  sent: { bytes: unknown; contentType: string | undefined },
): z.output<Schema> {
  const { bytes, contentType } = sent
  const type = mediaType(contentType)
  if (type !== '' && type !== 'application/json') throw wrongType('application/json')
  if (!(bytes instanceof Uint8Array) || bytes.length === 0) throw refused('a JSON body is required')
  if (type === '') throw wrongType('application/json')
  const parsed = schema.safeParse(readObject(bytes))
  if (parsed.success) return parsed.data
  throw invalid(problemsOfIssues(parsed.error.issues))
}

/** The refusal of a body that is not of the expected kind: 415. */
export function wrongType(expected: string) {
  return refused(`the content type must be ${expected}`, { status: 415 })
}

/** The content type without its parameters, in lower case. */
export function mediaType(contentType: string | undefined): string {
  return (contentType ?? '').split(';', 1)[0]?.trim().toLowerCase() ?? ''
}

function readObject(bytes: Uint8Array): object {
  let value: unknown
  try {
    value = JSON.parse(utf8.decode(bytes), exactNumber)
  } catch {
    throw refused('the body is not well-formed JSON')
  }
  if (typeof value === 'object' && value !== null && !Array.isArray(value)) return value
  throw refused('the body must be a JSON object')
}

// Integers beyond 2^53 need no care: they stay beyond when rounded, and are refused there.
function exactNumber(_key: string, value: unknown, context?: { source?: string }): unknown {
  const isRounded = Number.isInteger(value) && fraction.test(context?.source ?? '')
  return isRounded ? Number.NaN : value
}
