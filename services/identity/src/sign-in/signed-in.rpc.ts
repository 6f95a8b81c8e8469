import type { Caller } from '@coffer/kit/rpc/caller'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { HandlerContext } from '@connectrpc/connect'

/**
 * The caller where it is a full session: a key cannot manage keys, passwords and second factors
 * (spec/interface.md, Authentication 1). Throws unauthenticated.
 */
export function signedIn(context: HandlerContext): Caller {
  const caller = callerOf(context)
  if (caller.kind !== 'session') throw unauthenticated('SESSION_REQUIRED')
  return caller
}
