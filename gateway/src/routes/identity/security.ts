import {
  MultifactorService,
  RenewRecoveryCodesResponseSchema,
  SetUpTotpResponseSchema,
} from '@coffer/proto/identity/v1/multifactor'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import type { Client } from '@connectrpc/connect'
import { z } from 'zod'
import {
  reAuthentication,
  reAuthenticationIfDue,
  reAuthenticationMessage,
  reAuthenticationText,
} from '../../auth/re-authentication.ts'
import type { RouteDeps } from '../../deps.ts'
import { code, password } from '../../http/fields/credentials.ts'
import { type Route, route } from '../../http/route.ts'
import { codesLocked } from './sign-in-answers.ts'

/** Schema of a password reset (docs/sign-in.md#passwords). */
export const passwordReset = z.strictObject({
  token: code.describe('Token of the reset link, or resetToken of a refused sign-in'),
  password: password.describe('New password, 8 to 72 characters (docs/security.md#passwords)'),
})

/** Returns the routes of the caller's password and authenticator (docs/sign-in.md#passwords). */
export function securityRoutes({ mesh, sessions }: RouteDeps): Route[] {
  const passwords = mesh.client('identity', PasswordService)
  const multifactor = mesh.client('identity', MultifactorService)
  // Clears the cached sessions: the gateway does not know which of them identity has ended.
  const forget = () => sessions.forget(({ kind }) => kind === 'session')
  return [
    route({
      id: 'changePassword',
      tag: 'Security',
      method: 'PUT',
      path: '/api/users/security/password',
      summary: 'Change the password; every other session ends',
      description:
        'A wrong current password is 401, and the session does not end. The owner gets a mail ' +
        '(docs/sign-in.md#passwords).',
      since: '0.1.0',
      auth: 'session',
      body: z.strictObject({
        currentPassword: password.describe('Present password of the login'),
        newPassword: password.describe('New password, 8 to 72 characters; not the present one'),
      }),
      attempts: 'refused',
      handler: async ({ body, options }) => {
        await passwords.changePassword(body, options)
        forget()
      },
    }),
    route({
      id: 'resetPassword',
      tag: 'Sign-in',
      method: 'POST',
      path: '/api/authentication/reset',
      summary: 'Set a new password with the token of a reset link; every session ends',
      description: 'Begins no session and keeps the second factor (docs/sign-in.md#passwords).',
      since: '0.1.0',
      auth: 'none',
      body: passwordReset,
      attempts: 'refused',
      handler: async ({ body, options }) => {
        await passwords.resetPassword(body, options)
        forget()
      },
    }),
    ...totpRoutes(multifactor, forget),
  ]
}

function totpRoutes(multifactor: Client<typeof MultifactorService>, forget: () => void): Route[] {
  return [
    route({
      id: 'setUpTotp',
      tag: 'Security',
      method: 'POST',
      path: '/api/users/security/totp/setup',
      summary: 'Begin to set up an authenticator; re-authentication 15 minutes after sign-in',
      description:
        'Answers the secret and recovery codes once; nothing changes before the confirmation. ' +
        `May be repeated. ${reAuthenticationText}`,
      since: '0.1.0',
      auth: 'session',
      hasSecret: true,
      body: reAuthenticationIfDue,
      answers: { 428: codesLocked },
      isBodyOptional: true,
      attempts: 'refused',
      answer: SetUpTotpResponseSchema,
      handler: ({ body, options }) => multifactor.setUpTotp(reAuthenticationMessage(body), options),
    }),
    route({
      id: 'confirmTotp',
      tag: 'Security',
      method: 'POST',
      path: '/api/users/security/totp/confirm',
      summary: 'Enable the authenticator with a code of it; every other session ends',
      description: 'From now on each sign-in needs a code (docs/sign-in.md#second-factor).',
      since: '0.1.0',
      auth: 'session',
      body: z.strictObject({
        totp: code.describe('Code of the authenticator; recovery codes are refused'),
      }),
      attempts: 'refused',
      handler: async ({ body, options }) => {
        await multifactor.confirmTotp(body, options)
        forget()
      },
    }),
    route({
      id: 'disableTotp',
      tag: 'Security',
      method: 'POST',
      path: '/api/users/security/totp/disable',
      summary: 'Disable the authenticator, by the current password or a code',
      description:
        'Deletes the authenticator and its recovery codes; every other session ends. A wrong ' +
        'password or code is 401.',
      since: '0.1.0',
      auth: 'session',
      body: reAuthentication,
      answers: { 428: codesLocked },
      attempts: 'refused',
      handler: async ({ body, options }) => {
        await multifactor.disableTotp(reAuthenticationMessage(body), options)
        forget()
      },
    }),
    recoveryCodesRoute(multifactor),
  ]
}

function recoveryCodesRoute(multifactor: Client<typeof MultifactorService>): Route {
  return route({
    id: 'replaceRecoveryCodes',
    tag: 'Security',
    method: 'POST',
    path: '/api/users/security/totp/recovery_codes',
    summary: 'Replace the recovery codes, by the current password or a code',
    description: 'Answers ten codes once; the former ones stop working.',
    since: '0.1.0',
    auth: 'session',
    hasSecret: true,
    body: reAuthentication,
    answers: { 428: codesLocked },
    attempts: 'refused',
    answer: RenewRecoveryCodesResponseSchema,
    handler: ({ body, options }) =>
      multifactor.renewRecoveryCodes(reAuthenticationMessage(body), options),
  })
}
