import { create } from '@bufbuild/protobuf'
import { notFound, unauthenticated } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import { currencyOf } from '@coffer/kit/values/currency'
import {
  GetAccountSettingsResponseSchema,
  GetMeResponseSchema,
  type UserService,
} from '@coffer/proto/identity/v1/user'
import type { ServiceImpl } from '@connectrpc/connect'
import { subscriptionStateOf } from '../billing/subscription.ts'
import { findUser, getAccount } from '../book/account.sql.ts'
import { sharedSettings, userMessage } from '../book/account.ts'
import { signedIn } from '../book/signed-in.service.ts'
import type { IdentityDeps } from '../deps.ts'
import { countRecoveryCodes } from '../second-factor/authenticator.sql.ts'

/** Returns the RPCs that read users and the settings of the caller's account (docs/sign-in.md). */
export function users({
  config,
  database,
  clock,
}: IdentityDeps): Omit<ServiceImpl<typeof UserService>, 'updateUser'> {
  return {
    getMe: async (_, context) => {
      const { accountId, userId, kind } = callerOf(context)
      const user = await findUser(database, accountId, userId)
      if (!user) throw unauthenticated('SESSION_ENDED')
      const state = subscriptionStateOf(user, clock(), config)
      const mfaPending = kind === 'pending'
      const hasFactor = user.totpEnabledAt !== null && !mfaPending
      const subscribe = state.isActive ? null : '/account/subscribe'
      return toMessage(GetMeResponseSchema, {
        user: userMessage(user),
        defaultCurrency: currencyOf(user.locale),
        ...state,
        mfaPending,
        recoveryCodesLeft: hasFactor ? await countRecoveryCodes(database, user.loginId) : null,
        nextUrl: mfaPending ? '/login/multifactor' : subscribe,
      })
    },
    getUser: async ({ userId }, context) => {
      const user = await findUser(database, signedIn(context).accountId, userId)
      if (!user) throw notFound('user')
      return { user: userMessage(user) }
    },
    getAccountSettings: async (_, context) => {
      const account = await getAccount(database, callerOf(context).accountId)
      return create(GetAccountSettingsResponseSchema, sharedSettings(account, config))
    },
  }
}
