import { notFound } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { SessionSchema, type SessionService } from '@coffer/proto/identity/v1/session'
import type { ServiceImpl } from '@connectrpc/connect'
import { endSession, endSessionsOfLogin, listSessions } from '../book/session.sql.ts'
import { boundsOfUse } from '../book/session.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { reauthenticateUnlessRecent } from '../second-factor/re-authentication.service.ts'

/** Returns the RPCs that list and end the caller's own sessions (OWASP ASVS 5.0, 7.5.2). */
export function sessions(deps: IdentityDeps): ServiceImpl<typeof SessionService> {
  const { config, database, clock } = deps
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
    endSession: async ({ sessionId, proof: answer }, context) => {
      const caller = signedIn(context)
      const { accountId, userId } = caller
      const finalize = await reauthenticateUnlessRecent(deps, answer, { caller, now: clock() })
      await database.transaction(async (tx) => {
        await finalize(tx)
        const isEnded = await endSession(tx, accountId, { userId, sessionId })
        if (!isEnded) throw notFound('session')
      })
      return {}
    },
    endOtherSessions: async ({ proof: answer }, context) => {
      const caller = signedIn(context)
      const { loginId, sessionId = '' } = caller
      const finalize = await reauthenticateUnlessRecent(deps, answer, { caller, now: clock() })
      await database.transaction(async (tx) => {
        await finalize(tx)
        await endSessionsOfLogin(tx, loginId, { except: sessionId })
      })
      return {}
    },
  }
}
