import type { Caller } from '@coffer/kit/rpc/caller'
import { unauthenticated } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { HandlerContext } from '@connectrpc/connect'

/**
 * Returns the caller of a session that is not pending. Throws unauthenticated (SESSION_REQUIRED)
 * for API keys: a leaked key must not manage keys, passwords or second factors.
 */
export function signedIn(context: HandlerContext): Caller {
  const caller = callerOf(context)
  if (caller.kind !== 'session') throw unauthenticated('SESSION_REQUIRED')
  return caller
}
