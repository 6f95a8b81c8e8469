import { Code, ConnectError } from '@connectrpc/connect'
import {
  BackendTerminatedError,
  BackendTerminatedUnexpectedlyError,
  ConnectionError,
  StatementTimeoutError,
} from 'slonik'
import { unavailable } from './errors.ts'

// Class 08 connection, 40 rollback (nothing was done), 53 resources, 57P operator intervention;
// 55P03 lock_not_available.
const downStates = /^(08|40|53|57P|55P03)/
// Errors of the socket to the database, by their code.
const lostConnections = ['ECONNREFUSED', 'ECONNRESET', 'EPIPE', 'ETIMEDOUT', 'ENOTFOUND']
const downErrors = [ConnectionError, BackendTerminatedError, BackendTerminatedUnexpectedlyError]

/** What a caller is told of anything thrown: a lost database is unavailable, the rest internal. */
export function knownError(error: unknown): ConnectError {
  if (error instanceof ConnectError) return error
  const { cause, code } = error as { cause?: { code?: unknown }; code?: unknown }
  const state = String(cause?.code ?? code ?? '')
  const isDown = downErrors.some((type) => error instanceof type)
  if (isDown || downStates.test(state) || lostConnections.includes(state)) {
    return unavailable('the database is not available')
  }
  if (state === '57014' || error instanceof StatementTimeoutError) {
    return new ConnectError('the database took too long', Code.DeadlineExceeded)
  }
  return new ConnectError('internal error', Code.Internal, undefined, undefined, error)
}

/** Whether something that is away is to blame, not what was asked: it goes by without a change. */
export function isOutage(error: unknown): boolean {
  const { code } = knownError(error)
  return code === Code.Unavailable || code === Code.DeadlineExceeded
}
