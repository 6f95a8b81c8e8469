import { notFound } from '@coffer/kit/errors'
import { toMessage } from '@coffer/kit/message'
import { SessionSchema, type SessionService } from '@coffer/proto/identity/v1/session'
import type { ServiceImpl } from '@connectrpc/connect'
import type { IdentityDeps } from './service.ts'
import { endSession, endSessionsOfLogin, listSessions } from './session.sql.ts'
import { boundsOfUse } from './session.ts'
import { signedIn } from './signed-in.rpc.ts'

/** The caller's own sessions, to look at and to end (OWASP ASVS 5.0, 7.5.2). */
export function sessions({
  config,
  database,
  clock,
}: IdentityDeps): ServiceImpl<typeof SessionService> {
  return {
    listSessions: async (_, context) => {
      const { accountId, userId, sessionId } = signedIn(context)
      const now = clock()
      const { idleSince } = boundsOfUse(now, config.sessionIdleDays)
      const live = await listSessions(database, accountId, { userId, now, idleSince })
      return {
        sessions: live.map((session) => {
          const isCurrent = session.sessionId === sessionId
          return toMessage(SessionSchema, { ...session, isCurrent })
        }),
      }
    },
    endSession: async ({ sessionId }, context) => {
      const { accountId, userId } = signedIn(context)
      const isEnded = await endSession(database, accountId, { userId, sessionId })
      if (!isEnded) throw notFound('session')
      return {}
    },
    endOtherSessions: async (_, context) => {
      const { loginId, sessionId = '' } = signedIn(context)
      await database.transaction((tx) => endSessionsOfLogin(tx, loginId, { except: sessionId }))
      return {}
    },
  }
}
