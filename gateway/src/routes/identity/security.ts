import { toRest } from '@coffer/kit/rpc/message'
import {
  MultifactorService,
  RenewRecoveryCodesResponseSchema,
  SetUpTotpResponseSchema,
} from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { z } from 'zod'
import {
  reAuthentication,
  reAuthenticationIfDue,
  reAuthenticationMessage,
} from '../../auth/re-authentication.ts'
import type { RouteDeps } from '../../deps.ts'
import { code, password } from '../../http/bodies/fields.ts'
import { type Route, route } from '../../http/route.ts'

/**
 * Routes of the caller's password and authenticator (docs/sign-in.md#passwords,
 * docs/sign-in.md#second-factor).
 */
export function securityRoutes(deps: RouteDeps): Route[] {
  return [passwordRoute(deps), resetRoute(deps), ...totpRoutes(deps)]
}

function passwordRoute({ mesh, sessions, attempts }: RouteDeps): Route {
  const passwords = mesh.client('identity', PasswordService)
  return route({
    method: 'PUT',
    path: '/api/users/security/password',
    summary: 'Change the password; every other session ends',
    auth: 'session',
    body: z.strictObject({ currentPassword: password, newPassword: password }),
    handler: async ({ body, options, request }) => {
      await attempts.run(request.ip, () => passwords.changePassword(body, options))
      // The gateway does not know which sessions ended, so it verifies all of them again.
      sessions.forget(({ kind }) => kind === 'session')
    },
  })
}

function resetRoute({ mesh, sessions, attempts }: RouteDeps): Route {
  const passwords = mesh.client('identity', PasswordService)
  return route({
    method: 'POST',
    path: '/api/authentication/reset',
    summary: 'Set a new password with the token of a reset link; every session ends',
    auth: 'none',
    body: z.strictObject({ token: code, password }),
    handler: async ({ body, options, request }) => {
      await attempts.run(request.ip, () => passwords.resetPassword(body, options))
      sessions.forget(({ kind }) => kind === 'session')
    },
  })
}

function totpRoutes({ mesh, sessions, attempts }: RouteDeps): Route[] {
  const multifactor = mesh.client('identity', MultifactorService)
  const forget = () => sessions.forget(({ kind }) => kind === 'session')
  return [
    route({
      method: 'POST',
      path: '/api/users/security/totp/setup',
      summary: 'Begin to set up an authenticator; re-authentication 15 minutes after sign-in',
      auth: 'session',
      body: reAuthenticationIfDue,
      isBodyOptional: true,
      answer: SetUpTotpResponseSchema,
      handler: async ({ body, options, request }) => {
        const setUp = () => multifactor.setUpTotp(reAuthenticationMessage(body), options)
        return toRest(SetUpTotpResponseSchema, await attempts.run(request.ip, setUp))
      },
    }),
    route({
      method: 'POST',
      path: '/api/users/security/totp/confirm',
      summary: 'Enable the authenticator with a code of it; every other session ends',
      auth: 'session',
      body: z.strictObject({ totp: code }),
      handler: async ({ body, options, request }) => {
        await attempts.run(request.ip, () => multifactor.confirmTotp(body, options))
        forget()
      },
    }),
    route({
      method: 'POST',
      path: '/api/users/security/totp/disable',
      summary: 'Disable the authenticator, by the current password or a code',
      auth: 'session',
      body: reAuthentication,
      handler: async ({ body, options, request }) => {
        await attempts.run(request.ip, () =>
          multifactor.disableTotp(reAuthenticationMessage(body), options),
        )
        forget()
      },
    }),
    route({
      method: 'POST',
      path: '/api/users/security/totp/recovery_codes',
      summary: 'Replace the recovery codes, by the current password or a code',
      auth: 'session',
      body: reAuthentication,
      answer: RenewRecoveryCodesResponseSchema,
      handler: async ({ body, options, request }) => {
        const renew = () => multifactor.renewRecoveryCodes(reAuthenticationMessage(body), options)
        const renewed = await attempts.run(request.ip, renew)
        return toRest(RenewRecoveryCodesResponseSchema, renewed)
      },
    }),
  ]
}
