import { say } from '@coffer/kit/reasons/reasons'
import { problemsOf, refusalOf, unavailable } from '@coffer/kit/rpc/errors'
import { Code, ConnectError } from '@connectrpc/connect'
import type { FastifyError } from 'fastify'
import { type ProblemTree, problemTree } from './problems.ts'

/** The HTTP answer of an error. */
export interface ErrorAnswer {
  status: number
  body: { error: string; code?: string; problems?: ProblemTree; [key: string]: unknown }
  retryAfterSeconds?: number
}

// HTTP status by the code of an RPC error (docs/api/errors.md#statuses); a status in the refusal
// takes precedence.
const statusOf: Partial<Record<Code, number>> = {
  [Code.InvalidArgument]: 400,
  [Code.OutOfRange]: 400,
  [Code.FailedPrecondition]: 400,
  [Code.AlreadyExists]: 400,
  [Code.Unauthenticated]: 401,
  [Code.PermissionDenied]: 403,
  [Code.NotFound]: 404,
  [Code.Aborted]: 409,
  [Code.ResourceExhausted]: 429,
  [Code.Unavailable]: 503,
  [Code.DeadlineExceeded]: 504,
}

// Texts of errors of the HTTP server, keyed by Fastify's error code.
const serverErrors: Record<string, string> = {
  FST_ERR_CTP_BODY_TOO_LARGE: 'the body is larger than 6 MiB',
  FST_REQ_FILE_TOO_LARGE: 'the body is larger than 6 MiB',
  FST_ERR_CTP_INVALID_CONTENT_LENGTH: 'the body is not as long as its Content-Length says',
  FST_ERR_BAD_URL: 'the path is not well-formed',
}

/**
 * Creates the error for a client address that exceeds its limit; the rate limiter adds Retry-After.
 */
export function tooManyRequests(): Error {
  const text = say('TOO_MANY_REQUESTS')
  return Object.assign(new Error(text), { statusCode: 429 })
}

/** Returns whether a call got no answer: its deadline passed or its connection broke. */
export function isUnanswered(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.DeadlineExceeded
}

/** Returns whether the service is of an older version, which does not know the RPC. */
export function isUnknownRpc(error: unknown): boolean {
  return error instanceof ConnectError && error.code === Code.Unimplemented
}

/** Throws 503 instead of 504 for a call without effects, so that clients may retry. */
export function throwUnavailable(error: unknown): never {
  throw isUnanswered(error) ? unavailable(say('SERVICE_UNAVAILABLE')) : error
}

/**
 * Returns the HTTP answer of an error. `isRead`: the request had no effects, so it is safe to
 * retry.
 */
export function answerOf(error: unknown, { isRead }: { isRead: boolean }): ErrorAnswer {
  if (error instanceof ConnectError) return rpcAnswer(error, isRead)
  const { statusCode = 500, code, message } = Object(error) as FastifyError
  if (statusCode < 400 || statusCode >= 500) return internal()
  const body = { error: serverErrors[code] ?? message }
  return statusCode === 429
    ? { status: 429, body, retryAfterSeconds: 1 }
    : { status: statusCode, body }
}

/** Returns whether the answer of an error is 401. */
export function isUnauthenticated(error: unknown): boolean {
  return error instanceof ConnectError && rpcAnswer(error, true).status === 401
}

/** Returns whether an error is a fault of the request as sent: 400 to 424 other than 401. */
export function isClientError(error: unknown): boolean {
  const { status } = answerOf(error, { isRead: true })
  return status >= 400 && status < 425 && status !== 401
}

/** Returns whether an error is 412: the object has changed since the client read it. */
export function isOutdated(error: unknown): boolean {
  return error instanceof ConnectError && refusalOf(error)?.status === 412
}

/** Returns whether an error means that the session has ended; after other 401s it stays valid. */
export function endsSession(error: unknown): boolean {
  return error instanceof ConnectError && refusalOf(error)?.code === 'SESSION_ENDED'
}

/**
 * Returns whether a service refused this process's caller token; the mesh wraps that error as a
 * cause.
 */
export function isDistrusted(error: unknown): boolean {
  const cause = error instanceof ConnectError ? error.cause : undefined
  return cause instanceof ConnectError && cause.code === Code.Unauthenticated
}

/** Returns whether a service refused the request, rather than failed or was overloaded. */
export function isRefusal(error: unknown): boolean {
  const codes = [Code.Unauthenticated, Code.InvalidArgument, Code.FailedPrecondition]
  return error instanceof ConnectError && codes.includes(error.code)
}

function internal(): ErrorAnswer {
  return { status: 500, body: { error: say('INTERNAL_ERROR') } }
}

function rpcAnswer(error: ConnectError, isRead: boolean): ErrorAnswer {
  const refusal = refusalOf(error)
  const status = refusal?.status || statusOf[error.code] || 500
  // If a service sets status 500 itself, its text is for clients (docs/api/errors.md#statuses).
  if (status === 500 && !refusal?.status) return internal()
  const problems = problemsOf(error)
  const body = {
    error: textOf(error, isRead),
    ...(refusal?.code ? { code: refusal.code } : {}),
    ...(problems ? { problems: problemTree(problems) } : {}),
  }
  if (status === 503) return { status, body, retryAfterSeconds: 1 }
  const retryAfterSeconds = refusal?.retryAfterSeconds || 60
  const isTooSoon = status === 425 || status === 429
  return isTooSoon ? { status, body, retryAfterSeconds } : { status, body }
}

function textOf(error: ConnectError, isRead: boolean): string {
  // An error with a cause comes from the transport: its text is for the log, not for clients.
  if (error.code === Code.Unavailable && error.cause) return say('SERVICE_UNAVAILABLE')
  if (error.code !== Code.DeadlineExceeded) return error.rawMessage
  // The timeout has passed, or the connection broke: the service may have carried out a write.
  return isRead ? say('NOT_ANSWERED') : say('OUTCOME_UNKNOWN')
}
