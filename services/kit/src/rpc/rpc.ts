import { createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller } from './caller.ts'
import { callerRefused } from './errors.ts'

/** Context keys of the caller and its signed token, set when the server has verified the token. */
export const callerKey = createContextKey<Caller | null>(null)
export const tokenKey = createContextKey('')

/** Names of the HTTP headers that services add to calls among themselves. */
export const headers = {
  caller: 'coffer-caller',
  requestId: 'x-request-id',
  idempotencyKey: 'coffer-idempotency-key',
  bodyHash: 'coffer-body-hash',
  replayed: 'coffer-replayed',
  ifMatch: 'coffer-if-match',
} as const

/** Returns the verified caller of an RPC. Throws callerRefused if there is none. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey)
  if (!caller) throw callerRefused('caller token is missing')
  return caller
}
