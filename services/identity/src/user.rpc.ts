import { currencyOf } from '@coffer/kit/currency'
import { notFound, unauthenticated } from '@coffer/kit/errors'
import { toMessage } from '@coffer/kit/message'
import { callerOf } from '@coffer/kit/rpc'
import {
  AccountSchema,
  GetAccountSettingsResponseSchema,
  LoginSchema,
  type User,
  UserSchema,
  type UserService,
} from '@coffer/proto/identity/v1/user'
import type { ServiceImpl } from '@connectrpc/connect'
import { getAccount } from './account.sql.ts'
import { unbilled } from './account.ts'
import type { IdentityDeps } from './service.ts'
import { signedIn } from './signed-in.rpc.ts'
import { findUser } from './user.sql.ts'
import type { UserRow } from './user.ts'

/** Who the caller is, and the settings of the caller's account (spec/identity.md 6.2). */
export function users({ database }: IdentityDeps): ServiceImpl<typeof UserService> {
  return {
    getMe: async (_, context) => {
      const { accountId, userId, kind } = callerOf(context)
      const user = await findUser(database, accountId, userId)
      if (!user) throw unauthenticated()
      const me = { user: userMessage(user), defaultCurrency: currencyOf(user.locale), ...unbilled }
      if (kind !== 'pending') return me
      return { ...me, mfaPending: true, nextUrl: '/login/multifactor' }
    },
    getUser: async ({ userId }, context) => {
      const user = await findUser(database, signedIn(context).accountId, userId)
      if (!user) throw notFound('user')
      return { user: userMessage(user) }
    },
    getAccountSettings: async (_, context) => {
      const account = await getAccount(database, callerOf(context).accountId)
      return toMessage(GetAccountSettingsResponseSchema, account)
    },
  }
}

/** A user with login and account, as it is shown. */
export function userMessage(row: UserRow): User {
  const login = toMessage(LoginSchema, row)
  const account = toMessage(AccountSchema, row)
  return toMessage(UserSchema, { ...row, login, account })
}
