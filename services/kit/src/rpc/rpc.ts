import { type CallOptions, createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller } from './caller.ts'
import { callerRefused } from './errors.ts'

/** Context keys of the caller and the caller token; the authorizing interceptor sets them. */
export const callerKey = createContextKey<Caller | null>(null)
export const tokenKey = createContextKey('')

/** Names of the headers that travel with calls inside the mesh. */
export const headers = {
  caller: 'coffer-caller',
  requestId: 'x-request-id',
  idempotencyKey: 'coffer-idempotency-key',
  bodyHash: 'coffer-body-hash',
  replayed: 'coffer-replayed',
} as const

/** Returns the authorized caller of an RPC. Throws callerRefused without a caller. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey)
  if (!caller) throw callerRefused('caller token is missing')
  return caller
}

/** Returns call options that pass on the caller, the request ID and the rest of the deadline. */
export function onBehalfOf(context: HandlerContext): CallOptions {
  const left = context.timeoutMs()
  return {
    headers: {
      [headers.caller]: context.values.get(tokenKey),
      [headers.requestId]: context.requestHeader.get(headers.requestId) ?? '',
    },
    signal: context.signal,
    ...(left === undefined ? {} : { timeoutMs: Math.max(1, left) }),
  }
}
