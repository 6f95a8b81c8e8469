import { toRest } from '@coffer/kit/rpc/message'
import { headers } from '@coffer/kit/rpc/rpc'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserSchema } from '@coffer/proto/identity/v1/user'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { email, ignoringNull, name, password, text } from '../../http/bodies/fields.ts'
import { proofOfWorkKeys, withProofOfWork } from '../../http/proof-of-work.ts'
import { requireOfferedFeature } from '../../http/required-feature.ts'
import { type Route, route } from '../../http/route.ts'
import { valuesOf } from '../../http/update.ts'

const registration = z.strictObject({
  email,
  firstName: name,
  lastName: text.optional(),
  password,
  locale: text.optional(),
  timezone: text.optional(),
  // Ignored unless registration requires beta codes.
  betaCode: ignoringNull(text),
})

// The cookie has a pending session (docs/sign-in.md#second-factor).
const secondFactorOwed = {
  error: 'a code of the authenticator is required',
  code: 'MFA_REQUIRED',
  nextUrl: '/login/multifactor',
}

// No session begins until the password is changed with `resetToken` (docs/sign-in.md#passwords).
const passwordChangeOwed = {
  error: 'the password has to be changed',
  code: 'PASSWORD_CHANGE_REQUIRED',
}

const verificationOwed = {
  message: 'Follow the link in the mail to verify your email address.',
  requireVerification: true,
}

/** Routes of registration, sign-in and sign-out; none accepts an API key (docs/sign-in.md). */
export function authenticationRoutes(deps: RouteDeps): Route[] {
  const { config, mesh, attempts } = deps
  const signIn = mesh.client('identity', SignInService)
  const { formerOf, begin } = createSuccession(deps)
  return [
    route({
      method: 'POST',
      path: '/api/authentication/register',
      summary: 'Create a login, a user and an account, and sign in',
      auth: 'none',
      body: registration.extend(proofOfWorkKeys(config)),
      find: requireOfferedFeature(mesh, 'allowSignUp'),
      answer: { object: { user: UserSchema } },
      handler: async ({ body, options, request, reply }) => {
        const former = formerOf(request)
        const wanted = { ...valuesOf(withProofOfWork(body)), ...former }
        const register = () => signIn.register(wanted, options)
        // Successes count too: each may send a mail to the address of another person.
        const answer = await attempts.run(request.ip, register, 'all')
        const { user, sessionToken, isActive, requiresVerification } = answer
        if (requiresVerification || !user) return verificationOwed
        begin(reply, { sessionToken, ...former })
        const shown = toRest(UserSchema, user)
        return { nextUrl: '/setup', requireVerification: false, isActive, user: shown }
      },
    }),
    route({
      method: 'POST',
      path: '/api/authentication/login',
      summary: 'Sign in; the session is in the cookie',
      auth: 'none',
      body: z.strictObject({ email, password, ...proofOfWorkKeys(config) }),
      handler: async ({ body, options, request, reply }) => {
        const former = formerOf(request)
        const credentials = { ...withProofOfWork(body), ...former }
        const answer = await attempts.run(request.ip, () => signIn.login(credentials, options))
        const { sessionToken, isActive, mfaRequired, resetToken } = answer
        if (mfaRequired || resetToken !== '') reply.code(428)
        if (resetToken !== '') return { ...passwordChangeOwed, resetToken }
        begin(reply, { sessionToken, ...former })
        if (mfaRequired) return secondFactorOwed
        return isActive ? { isActive } : { isActive, nextUrl: '/account/subscribe' }
      },
    }),
    logoutRoute(deps),
  ]
}

function logoutRoute(deps: RouteDeps): Route {
  const { mesh, cookie, log } = deps
  const signIn = mesh.client('identity', SignInService)
  const { forget } = createSuccession(deps)
  return route({
    method: 'GET',
    path: '/api/authentication/logout',
    summary: 'Sign out; always succeeds',
    auth: 'none',
    handler: async ({ options, request, reply }) => {
      const token = cookie.read(request)
      cookie.clear(reply)
      if (token) await end(token, options)
    },
  })

  async function end(sessionToken: string, options: CallOptions): Promise<void> {
    try {
      await signIn.logout({ sessionToken }, options)
    } catch (error) {
      // The answer stays 200 with a cleared cookie (docs/sign-in.md#signing-in).
      log.warn(
        { err: error, requestId: requestIdOf(options) },
        'the session could not be ended: it expires by itself',
      )
    }
    forget(sessionToken)
  }
}

/** Replacement of a browser's session: identity ends the former one when the next one begins. */
function createSuccession({ cookie, sessions }: Pick<RouteDeps, 'cookie' | 'sessions'>) {
  const forget = (token: string) =>
    sessions.forget((sent) => sent.kind === 'session' && sent.token === token)
  return {
    forget,
    /** The session in the browser's cookie; an empty token without one. */
    formerOf: (request: FastifyRequest) => ({ formerSessionToken: cookie.read(request) ?? '' }),
    begin: (reply: FastifyReply, began: { sessionToken: string; formerSessionToken: string }) => {
      forget(began.formerSessionToken)
      cookie.set(reply, began.sessionToken)
    },
  }
}

function requestIdOf(options: CallOptions): string {
  return new Headers(options.headers).get(headers.requestId) ?? ''
}
