import { toRest } from '@coffer/kit/rpc/message'
import {
  MultifactorService,
  RenewRecoveryCodesResponseSchema,
  SetUpTotpResponseSchema,
} from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { z } from 'zod'
import { identityProof, laterProof, proofMessage } from '../../auth/proof.ts'
import { code, password } from '../../http/bodies/fields.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

/**
 * The caller's own password and second factor (spec/identity.md 6.4, 6.5); disabling and renewing
 * are ours.
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
      // The sessions that ended are not known here: all are verified again.
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
      summary: 'Begin to set up an authenticator; proved again later than 15 minutes',
      auth: 'session',
      body: laterProof,
      isBodyOptional: true,
      answer: SetUpTotpResponseSchema,
      handler: async ({ body, options, request }) => {
        const setUp = () => multifactor.setUpTotp(proofMessage(body), options)
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
      body: identityProof,
      handler: async ({ body, options, request }) => {
        await attempts.run(request.ip, () => multifactor.disableTotp(proofMessage(body), options))
        forget()
      },
    }),
    route({
      method: 'POST',
      path: '/api/users/security/totp/recovery_codes',
      summary: 'New recovery codes in the place of the old, by the current password or a code',
      auth: 'session',
      body: identityProof,
      answer: RenewRecoveryCodesResponseSchema,
      handler: async ({ body, options, request }) => {
        const renew = () => multifactor.renewRecoveryCodes(proofMessage(body), options)
        const renewed = await attempts.run(request.ip, renew)
        return toRest(RenewRecoveryCodesResponseSchema, renewed)
      },
    }),
  ]
}
