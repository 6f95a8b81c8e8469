import { Code, ConnectError } from '@connectrpc/connect'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
} from 'slonik'
import { LostConnectionError } from '../database/lost-connection.ts'
import { unanswered, unavailable } from './errors.ts'

// SQLSTATE classes of outages: 08 connection, 40 rollback (nothing was done), 53 resources, 57P
// operator intervention. Single states: 25006 read_only_sql_transaction (a standby, after a
// fail-over), 55P03 lock_not_available.
const downStates = /^(08|25006|40|53|57P|55P03)/
// Error codes of the database's socket.
const lostConnections = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']
const downErrors = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError]

/**
 * Maps any error to a ConnectError: a lost database is unavailable, an unexpected error internal. A
 * write of unknown outcome is deadline_exceeded, unless a retry of it is safe (`isRepeatable`).
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
    return unavailable('the database is not available')
  }
  if (state === '57014' || error instanceof StatementTimeoutError) {
    return unanswered('the database took too long')
  }
  return new ConnectError('internal error', Code.Internal, undefined, undefined, error)
}

/** Returns whether Postgres may have committed: the connection was lost before its answer. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof LostConnectionError && error.mayBeDone
}

/** Returns whether a dependency is away. A later retry may succeed. */
export function isOutage(error: unknown): boolean {
  const { code } = knownError(error)
  return code === Code.Unavailable || code === Code.DeadlineExceeded
}
