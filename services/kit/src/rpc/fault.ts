import { Code, ConnectError } from '@connectrpc/connect'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
} from 'slonik'
import { say } from '../reasons/reasons.ts'
import { unanswered, unavailable } from './errors.ts'
import { LostConnectionError } from './lost-connection.ts'

// SQLSTATEs of an outage. Classes 08 (connection), 40 (rollback: nothing was done), 53 (resources),
// 57P (operator); states 25006 (standby after a fail-over), 55P03 (lock not available).
const downStates = /^(08|25006|40|53|57P|55P03)/
// Error codes of a lost or refused connection to Postgres.
const lostConnections = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']
const downErrors = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError]

/**
 * Maps any error to a ConnectError: an outage of the database to unavailable, an unexpected error
 * to internal. If a write may be committed: deadline_exceeded, or unavailable if the call
 * `isRepeatable` (idempotent).
 */
export function knownError(error: unknown, { isRepeatable = false } = {}): ConnectError {
  if (error instanceof ConnectError) return error
  if (isOutcomeUnknown(error) && !isRepeatable) {
    return unanswered('the connection to the database was lost')
  }
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown }
  const state = String(cause?.code ?? code ?? '')
  const isDown = downErrors.some((type) => error instanceof type)
  if (isDown || downStates.test(state) || lostConnections.includes(state)) {
    return unavailable(say('DATABASE_UNAVAILABLE'))
  }
  if (state === '57014' || error instanceof StatementTimeoutError) {
    return unanswered('the database took too long')
  }
  return new ConnectError(say('INTERNAL_ERROR'), Code.Internal, undefined, undefined, error)
}

/** Returns whether Postgres refused a write because the server is read-only, such as a standby. */
export function isReadOnly(error: unknown): boolean {
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown }
  return (cause?.code ?? code) === '25006'
}

/** Returns whether a statement may be committed: the connection broke before Postgres answered. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof LostConnectionError && error.mayBeDone
}

/** Returns whether an error means that a dependency is down, so that a later retry may succeed. */
export function isOutage(error: unknown): boolean {
  const { code } = knownError(error)
  return code === Code.Unavailable || code === Code.DeadlineExceeded
}
