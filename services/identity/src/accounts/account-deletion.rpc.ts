import { forbidden, unauthenticated } from '@coffer/kit/rpc/errors'
import type { AccountService } from '@coffer/proto/identity/v1/account'
import type { ServiceImpl } from '@connectrpc/connect'
import { proveByEither } from '../second-factor/proof.rpc.ts'
import type { IdentityDeps } from '../service.ts'
import { signedIn } from '../sign-in/signed-in.rpc.ts'
import { requestDeletion } from './account-deletion.sql.ts'
import { findUser } from './user.sql.ts'

/** The end of an account (ours; spec/decisions.md, Account settings). */
export function accountDeletion(deps: IdentityDeps): ServiceImpl<typeof AccountService> {
  const { database, clock } = deps
  return {
    deleteAccount: async ({ proof }, context) => {
      const { accountId, userId, loginId } = signedIn(context)
      const user = await findUser(database, accountId, userId)
      if (!user) throw unauthenticated('SESSION_ENDED')
      if (user.role !== 'owner') throw forbidden('only its owner can delete an account')
      const now = clock()
      const spend = await proveByEither(deps, proof, { loginId, now })
      await database.transaction(async (tx) => {
        await spend(tx)
        await requestDeletion(tx, accountId, now)
      })
      return {}
    },
  }
}
