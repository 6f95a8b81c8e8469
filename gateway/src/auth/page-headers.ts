import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'

/**
 * Throws a refusal (409) if `Coffer-User` names another user than that of the credential: all tabs
 * of a browser share a cookie, so a page may send for a user who is no longer signed in.
 */
export function refuseOtherUser({ headers }: FastifyRequest, userId: string): void {
  const named = headers['coffer-user']
  if (named !== undefined && named !== userId) throw refused(say('USER_DIFFERS'), { status: 409 })
}
