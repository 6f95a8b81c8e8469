import { Code, ConnectError } from '@connectrpc/connect'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
} from 'slonik'
import { LostConnectionError } from '../database/postgres.client.ts'
import { unanswered, unavailable } from './errors.ts'

// Class 08 connection, 40 rollback (nothing was done), 53 resources, 57P operator intervention;
// 25006 read_only_sql_transaction (a standby, after a fail-over), 55P03 lock_not_available.
const downStates = /^(08|25006|40|53|57P|55P03)/
// Errors of the socket to the database, by their code.
const lostConnections = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']
const downErrors = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError]

/**
 * What a caller is told of anything thrown: a lost database is unavailable, the rest internal. A
 * write that Postgres may have committed unheard is unanswered, unless `isRepeatable` says that
 * the call is simply made again.
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

/** Whether Postgres may have committed: the connection was lost before its answer. */
export function isOutcomeUnknown(error: unknown): boolean {
  return error instanceof LostConnectionError && error.mayBeDone
}

/** Whether something that is away is to blame, not what was asked: it goes by without a change. */
export function isOutage(error: unknown): boolean {
  const { code } = knownError(error)
  return code === Code.Unavailable || code === Code.DeadlineExceeded
}
