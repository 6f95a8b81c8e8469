import { EmailService } from '@coffer/proto/identity/v1/email'
import { PasswordService } from '@coffer/proto/identity/v1/password'
import { z } from 'zod'
import { requireOfferedFeature } from '../../auth/features.ts'
import { proofOfWorkKeys, withProofOfWork } from '../../auth/proof-of-work.ts'
import type { RouteDeps } from '../../deps.ts'
import { code, typedEmail } from '../../http/fields/credentials.ts'
import { type Route, route } from '../../http/route.ts'
import { emailInUse, nextUrl } from './sign-in-answers.ts'

const message = { json: { type: 'string', description: 'The result in words for the user' } }

/** Schema of a request for a mail (docs/sign-in.md#mailed-links). */
export const mailRequest = z.strictObject({
  email: typedEmail.describe('Email address of the login, in upper or lower case'),
})

/** Schema of the verification of an email address (docs/sign-in.md#mailed-links). */
export const verification = z.strictObject({
  token: code.describe('Token of the mailed link: the query parameter of its URL'),
})

/** Returns the routes of email verification and password reset (docs/sign-in.md#mailed-links). */
export function emailRoutes({ config, mesh }: RouteDeps): Route[] {
  const emails = mesh.client('identity', EmailService)
  const passwords = mesh.client('identity', PasswordService)
  const forgot = (of: Pick<Route, 'id' | 'path' | 'description'>) =>
    route({
      ...of,
      tag: 'Sign-in',
      method: 'POST',
      summary: 'Mail a link to set a new password; the answer is always the same',
      since: '0.1.0',
      auth: 'none',
      body: mailRequest.extend(proofOfWorkKeys(config)),
      find: requireOfferedFeature(mesh, 'allowForgotPassword'),
      attempts: 'all',
      handler: ({ body, options }) => passwords.forgotPassword(withProofOfWork(body), options),
    })
  return [
    route({
      id: 'verifyEmail',
      tag: 'Sign-in',
      method: 'POST',
      path: '/api/authentication/verify',
      summary: 'Verify an email address with the token of a mailed link',
      description:
        'A token works once, for its own purpose. Begins no session ' +
        '(docs/sign-in.md#mailed-links).',
      since: '0.1.0',
      auth: 'none',
      body: verification,
      find: requireOfferedFeature(mesh, 'verifyEmailAddress'),
      attempts: 'refused',
      answers: { 428: emailInUse },
      answer: { object: { nextUrl: { json: { ...nextUrl, const: '/login' } }, message } },
      handler: async ({ body, options }) => {
        await emails.verifyEmail(body, options)
        const text = 'Your email address is verified: you can sign in now.'
        return { nextUrl: '/login', message: text }
      },
    }),
    route({
      id: 'resendVerificationMail',
      tag: 'Sign-in',
      method: 'POST',
      path: '/api/authentication/verify/resend',
      summary: 'Mail the link to verify an email address again; the answer is always the same',
      description:
        'Answers alike for known and unknown addresses. No mail goes to a verified address.',
      since: '0.1.0',
      auth: 'none',
      body: mailRequest.extend(proofOfWorkKeys(config)),
      find: requireOfferedFeature(mesh, 'verifyEmailAddress'),
      attempts: 'all',
      handler: ({ body, options }) => emails.resendVerification(withProofOfWork(body), options),
    }),
    forgot({
      id: 'requestPasswordReset',
      path: '/api/authentication/forgot',
      description:
        'Answers alike for known and unknown addresses. The link works once and expires ' +
        '(docs/sign-in.md#mailed-links).',
    }),
    // The API has two spellings of this path (docs/sign-in.md#mailed-links).
    forgot({
      id: 'requestPasswordResetByMail',
      path: '/api/authentication/forgotPassword',
      description: 'The same as POST /api/authentication/forgot, under its older path.',
    }),
  ]
}
