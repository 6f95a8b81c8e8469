import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { forbidden, refused, unauthenticated } from '@coffer/kit/rpc/errors'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { AccountService } from '@coffer/proto/identity/v1/account'
import type { ServiceImpl } from '@connectrpc/connect'
import { findUser } from '../book/account.sql.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { reauthenticate, reauthenticateByBoth } from '../second-factor/re-authentication.service.ts'
import { findDeletion, requestDeletion } from './account-deletion.sql.ts'

/** Returns the RPCs that delete the caller's account (docs/account-data.md#deletion). */
export function accountDeletion(
  deps: IdentityDeps,
): Pick<ServiceImpl<typeof AccountService>, 'deleteAccount' | 'getDeletion'> {
  const { database, clock } = deps
  return {
    deleteAccount: async ({ proof: answer, totp: code }, context) => {
      const { accountId, userId, loginId } = signedIn(context)
      const user = await findUser(database, accountId, userId)
      if (!user) throw unauthenticated('SESSION_ENDED')
      if (user.role !== 'owner') throw forbidden(say('OWNER_DELETES'))
      const now = clock()
      const claim = { loginId, now }
      const { case: kind, value: password = '' } = answer?.kind ?? {}
      const isByBoth = kind === 'currentPassword' && code !== ''
      // Final, so one of two stolen factors must not suffice.
      if (user.totpEnabledAt !== null && !isByBoth) throw refused(say('PROOF_INCOMPLETE'))
      const finalize = isByBoth
        ? await reauthenticateByBoth(deps, { password, code }, claim)
        : await reauthenticate(deps, answer, claim)
      await database.transaction(async (tx) => {
        await finalize(tx)
        await requestDeletion(tx, accountId, now)
      })
      return {}
    },
    getDeletion: async (_, context) => {
      const requestedAt = await findDeletion(database, callerOf(context).accountId)
      return requestedAt === null ? {} : { requestedAt: timestampFromDate(requestedAt) }
    },
  }
}
