import {
  type CallOptions,
  createContextKey,
  createContextValues,
  type HandlerContext,
} from '@connectrpc/connect'
import type { Caller, OutgoingCaller } from './caller.ts'
import { callerRefused } from './errors.ts'

/**
 * Context key of the caller. `asCaller` sets it for an outgoing call; the server sets it for a
 * received call, after verification.
 */
export const callerKey = createContextKey<OutgoingCaller | null>(null)

/** Names of the HTTP headers in calls between services. */
export const headers = {
  caller: 'coffer-caller',
  requestId: 'x-request-id',
  actor: 'coffer-actor',
  idempotencyKey: 'coffer-idempotency-key',
  bodyHash: 'coffer-body-hash',
  onlyReplay: 'coffer-only-replay',
  replayed: 'coffer-replayed',
  ifMatch: 'coffer-if-match',
} as const

/** Returns the verified caller of an RPC. Throws callerRefused if there is none. */
export function callerOf(context: HandlerContext): Caller {
  return receivedCaller(context).caller
}

/** Returns options of a call on behalf of this caller. */
export function asCaller(caller: OutgoingCaller): Pick<CallOptions, 'contextValues'> {
  return { contextValues: createContextValues().set(callerKey, caller) }
}

/** Returns options of a nested call with the same caller. Throws callerRefused if there is none. */
export function asCallerOf(context: HandlerContext): Pick<CallOptions, 'contextValues'> {
  return asCaller(receivedCaller(context))
}

function receivedCaller({ values }: HandlerContext): OutgoingCaller {
  const received = values.get(callerKey)
  if (!received) throw callerRefused('caller token is missing')
  return received
}
