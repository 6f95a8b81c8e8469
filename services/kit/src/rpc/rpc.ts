import { type CallOptions, createContextKey, type HandlerContext } from '@connectrpc/connect'
import type { Caller } from './caller.ts'
import { callerRefused } from './errors.ts'

/** Where the interceptor that authorizes a call keeps its caller, and its caller token. */
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

/** The caller of an RPC, which the interceptor has authorized. Throws callerRefused without one. */
export function callerOf(context: HandlerContext): Caller {
  const caller = context.values.get(callerKey)
  if (!caller) throw callerRefused('caller token is missing')
  return caller
}

/** Call options that pass on the caller, the request ID and the rest of the deadline. */
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
