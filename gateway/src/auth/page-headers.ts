import { say } from '@coffer/kit/reasons/reasons'
import { type Refusal, refused } from '@coffer/kit/rpc/errors'
import type { FastifyRequest } from 'fastify'

/**
 * Throws a refusal (409) if `Coffer-User` names another user than that of the credential: all tabs
 * of a browser share a cookie, so a page may send for a user who is no longer signed in.
 */
export function refuseOtherUser({ headers }: FastifyRequest, userId: string): void {
  const named = headers['coffer-user']
  if (named !== undefined && named !== userId) throw refused(say('USER_DIFFERS'), { status: 409 })
}

/**
 * Returns whether `Coffer-Build` names an older build of the app than this server has. A former app
 * may misread what a newer server says. In a roll of two versions a newer app also meets former
 * servers, which accept it.
 */
export function isOfFormerBuild({ headers }: FastifyRequest, served: string | null): boolean {
  const { 'coffer-build': own } = headers
  if (typeof own !== 'string' || served === null) return false
  const [ownTime, ownHash] = own.split('.')
  const [time, hash] = served.split('.')
  return ownHash !== hash && Number.parseInt(ownTime ?? '', 10) < Number(time)
}

/** Returns the refusal (409) of a change by a former build, in place of any other refusal. */
export function ofFormerBuild(): Refusal {
  return refused(say('APP_OUTDATED'), { status: 409 })
}
