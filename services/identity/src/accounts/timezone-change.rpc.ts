import { say } from '@coffer/kit/reasons/reasons'
import { forbidden, invalid, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { AccountService } from '@coffer/proto/identity/v1/account'
import type { ServiceImpl } from '@connectrpc/connect'
import { findUser } from '../book/account.sql.ts'
import { userMessage } from '../book/account.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { reauthenticate } from '../second-factor/re-authentication.service.ts'
import { canonicalTimezone } from '../sign-in/timezone.ts'
import { findTimezoneChange, requestTimezone } from './timezone-change.sql.ts'

/** Returns the RPCs that change an account's timezone (docs/account-data.md#a-new-timezone). */
export function timezoneChange(
  deps: IdentityDeps,
): Pick<ServiceImpl<typeof AccountService>, 'changeTimezone' | 'getTimezoneChange'> {
  const { database, clock } = deps
  return {
    changeTimezone: async ({ timezone: sent, proof: answer }, context) => {
      const { accountId, userId, loginId } = signedIn(context)
      const user = await findUser(database, accountId, userId)
      if (!user) throw unauthenticated('SESSION_ENDED')
      if (user.role !== 'owner') throw forbidden(say('OWNER_CHANGES_TIMEZONE'))
      const timezone = canonicalTimezone(sent.trim())
      if (sent.trim() === '' || timezone === null) {
        throw invalid({ timezone: say('TIMEZONE_LIKE') })
      }
      const now = clock()
      const finalize = await reauthenticate(deps, answer, { loginId, now })
      const changed = await database.transaction(async (tx) => {
        await finalize(tx)
        const requested = await requestTimezone(tx, { accountId, timezone }, now)
        if (requested !== timezone) {
          const text = say('DAYS_MOVE', { timezone: requested })
          throw refused(text, { status: 409 })
        }
        return findUser({ pool: tx }, accountId, userId)
      })
      return { user: userMessage(changed ?? user) }
    },
    getTimezoneChange: async (_, context) => {
      const timezone = await findTimezoneChange(database, callerOf(context).accountId)
      return timezone === null ? {} : { timezone }
    },
  }
}
