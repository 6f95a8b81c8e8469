import { setTimeout as sleep } from 'node:timers/promises'
import { MethodOptions_IdempotencyLevel } from '@bufbuild/protobuf/wkt'
import { isCallerRefused } from '@coffer/kit/rpc/errors'
import { headers } from '@coffer/kit/rpc/rpc'
import { Code, ConnectError, type Interceptor } from '@connectrpc/connect'

/**
 * Internal header from an interceptor to the connections of this process, which remove it: `first`
 * for a call that may be repeated, `second` for its repetition. Other calls have none.
 */
export const attemptHeader = 'coffer-attempt'

/**
 * Retries a unary call once within its deadline: an idempotent call if the service was unavailable;
 * a call with an idempotency key if the connection broke. The service stores the reply under the
 * key in the transaction of the write, so the repetition finds it, or waits for the first attempt.
 * Other calls fail with deadline_exceeded, since they may have been carried out.
 */
export const retry: Interceptor = (next) => async (request) => {
  try {
    return await next(request)
  } catch (error) {
    const mayHelp = !request.stream && isRepeatable(request) && isLost(error, request)
    if (request.signal.aborted || !mayHelp) throw reasonOf(error, request)
    request.header.set(attemptHeader, 'second')
    return failing(request, next(request), { isUnknown: isBroken(error) })
  }
}

/** Marks the first attempt of a call that may be repeated, for the connections. */
export const markFirst: Interceptor = (next) => (request) => {
  const { header } = request
  const isFirst = !request.stream && !header.has(attemptHeader)
  if (isFirst && isRepeatable(request)) header.set(attemptHeader, 'first')
  return next(request)
}

/** Pauses in ms between attempts to connect, while a replica starts. */
const refusedPausesMs = [50, 200, 500]

/**
 * Retries a unary call, even a write, if no connection was established. Not for in-memory calls,
 * where the called service may have written before one of its own calls was refused.
 */
export const repeatRefused: Interceptor = (next) => async (request) => {
  for (const pauseMs of request.stream ? [] : refusedPausesMs) {
    try {
      return await next(request)
    } catch (error) {
      if (!isNotConnected(error)) throw error
      await sleep(pauseMs, undefined, { signal: request.signal }).catch(() => {
        throw error
      })
    }
  }
  return next(request)
}

/** Maximum number of replicas to try until one accepts the caller token. */
const acceptingMax = 8

/**
 * Repeats a unary call, even a write, whose caller token was refused: one replica may have a wrong
 * clock or keys, or a release that does not know this kind of token. Each attempt uses a new
 * connection, to the next replica.
 */
export const repeatRefusedCaller: Interceptor = (next) => async (request) => {
  for (let asked = 1; !request.stream && asked < acceptingMax; asked += 1) {
    try {
      return await next(request)
    } catch (error) {
      if (!isCallerRefused(error) || request.signal.aborted) throw error
      request.header.set(attemptHeader, 'second')
    }
  }
  return next(request)
}

type Call = Parameters<ReturnType<Interceptor>>[0]
type Answer = ReturnType<ReturnType<Interceptor>>

/** Awaits the second attempt and maps its error. `isUnknown`: the first may have written. */
async function failing(
  request: Call,
  attempt: Answer,
  { isUnknown }: { isUnknown: boolean },
): Answer {
  try {
    return await attempt
  } catch (error) {
    const reason = reasonOf(error, request)
    const isUnavailable = ConnectError.from(reason).code === Code.Unavailable
    throw isUnknown && isUnavailable && !isSafe(request)
      ? lost(Code.DeadlineExceeded, error)
      : reason
  }
}

function isSafe({ method }: Call): boolean {
  return method.idempotency !== MethodOptions_IdempotencyLevel.IDEMPOTENCY_UNKNOWN
}

/**
 * Returns whether the call may be repeated because the service stores its reply: it has an
 * idempotency key and the hash of its body.
 */
function isKeyed({ header }: Call): boolean {
  return header.has(headers.idempotencyKey) && header.has(headers.bodyHash)
}

function isRepeatable(request: Call): boolean {
  return isSafe(request) || isKeyed(request)
}

/** Returns whether a repetition may help; failures to connect are left to `repeatRefused`. */
function isLost(error: unknown, request: Call): boolean {
  if (isBroken(error)) return true
  const isUnavailable = ConnectError.from(error).code === Code.Unavailable
  return isSafe(request) && isUnavailable && !isNotConnected(error)
}

/** Returns whether no connection was established: DNS or connect(2) failed for all addresses. */
function isNotConnected(error: unknown): boolean {
  const cause = Object(ConnectError.from(error).cause)
  const causes: unknown[] = cause.errors ?? [cause]
  return causes.every((one) => ['connect', 'getaddrinfo'].includes(Object(one).syscall))
}

/**
 * Maps the error of a broken connection: to unavailable if the call is idempotent, else to
 * deadline_exceeded, because the call may have been carried out. Returns other errors unchanged.
 */
function reasonOf(error: unknown, request: Call): unknown {
  // Includes a failed TLS handshake, which Connect reports as an internal error.
  if (isNotConnected(error)) return lost(Code.Unavailable, error)
  if (!isBroken(error) || request.signal.aborted) return error
  return lost(isSafe(request) ? Code.Unavailable : Code.DeadlineExceeded, error)
}

function lost(code: Code, error: unknown): ConnectError {
  const { cause } = ConnectError.from(error)
  return new ConnectError('the connection to a service was lost', code, undefined, undefined, cause)
}

/** Returns whether the connection broke: EPIPE, or `aborted` with a cause (servers send none). */
function isBroken(error: unknown): boolean {
  const { code, cause } = ConnectError.from(error)
  const { code: reason } = Object(cause)
  // ERR_SSL…: a server that refuses the certificate ends the connection by a TLS alert.
  const isEnded = typeof reason === 'string' && (reason === 'EPIPE' || reason.startsWith('ERR_SSL'))
  return (code === Code.Aborted && cause !== undefined) || isEnded
}
