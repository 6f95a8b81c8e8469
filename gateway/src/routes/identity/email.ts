import { EmailService } from '@coffer/proto/identity/v1/email'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { code, typedEmail } from '../../http/bodies/fields.ts'
import { proofOfWorkKeys, withProofOfWork } from '../../http/proof-of-work.ts'
import { requireOfferedFeature } from '../../http/required-feature.ts'
import { type Route, route } from '../../http/route.ts'

/** Routes of email verification and password reset (docs/sign-in.md#mailed-links). */
export function emailRoutes(deps: RouteDeps): Route[] {
  return [verifyRoute(deps), resendRoute(deps), ...forgotRoutes(deps)]
}

function verifyRoute({ mesh, attempts }: RouteDeps): Route {
  const emails = mesh.client('identity', EmailService)
  return route({
    method: 'POST',
    path: '/api/authentication/verify',
    summary: 'Verify an email address with the token of a mailed link',
    auth: 'none',
    body: z.strictObject({ token: code }),
    find: requireOfferedFeature(mesh, 'verifyEmailAddress'),
    handler: async ({ body, options, request }) => {
      await attempts.run(request.ip, () => emails.verifyEmail(body, options))
      return { nextUrl: '/login', message: 'Your email address is verified: you can sign in now.' }
    },
  })
}

function resendRoute(deps: RouteDeps): Route {
  const { config, mesh, attempts } = deps
  const emails = mesh.client('identity', EmailService)
  return route({
    method: 'POST',
    path: '/api/authentication/verify/resend',
    summary: 'Mail the link to verify an email address again; the answer is always the same',
    auth: 'none',
    body: z.strictObject({ email: typedEmail, ...proofOfWorkKeys(config) }),
    find: requireOfferedFeature(mesh, 'verifyEmailAddress'),
    handler: async ({ body, options, request }) => {
      const resend = () => emails.resendVerification(withProofOfWork(body), options)
      await attempts.run(request.ip, resend, 'all')
    },
  })
}

/** The interface has two spellings of this path (docs/sign-in.md#mailed-links). */
function forgotRoutes(deps: RouteDeps): Route[] {
  const { config, mesh, attempts } = deps
  const passwords = mesh.client('identity', PasswordService)
  return ['/api/authentication/forgot', '/api/authentication/forgotPassword'].map((path) =>
    route({
      method: 'POST',
      path,
      summary: 'Mail a link to set a new password; the answer is always the same',
      auth: 'none',
      body: z.strictObject({ email: typedEmail, ...proofOfWorkKeys(config) }),
      find: requireOfferedFeature(mesh, 'allowForgotPassword'),
      handler: async ({ body, options, request }) => {
        const forgot = () => passwords.forgotPassword(withProofOfWork(body), options)
        await attempts.run(request.ip, forgot, 'all')
      },
    }),
  )
}
