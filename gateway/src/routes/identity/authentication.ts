import { toRest } from '@coffer/kit/rpc/message'
import { headers } from '@coffer/kit/rpc/rpc'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserSchema } from '@coffer/proto/identity/v1/user'
import type { CallOptions } from '@connectrpc/connect'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { email, ignoringNull, name, password, text } from '../../http/bodies/fields.ts'
import { requireOffered } from '../../http/offered.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'
import { valuesOf } from '../../http/update.ts'
import { withWork, workKeys } from '../../http/work.ts'

const registration = z.strictObject({
  email,
  firstName: name,
  lastName: text.optional(),
  password,
  locale: text.optional(),
  timezone: text.optional(),
  // Looked at only where codes are required.
  betaCode: ignoringNull(text),
})

// A session that owes its second factor is in the cookie (spec/interface.md, POST login).
const secondFactorOwed = {
  error: 'a code of the authenticator is required',
  code: 'MFA_REQUIRED',
  nextUrl: '/login/multifactor',
}

// The password signs nobody in before it is changed, by the token beside this.
const passwordChangeOwed = {
  error: 'the password has to be changed',
  code: 'PASSWORD_CHANGE_REQUIRED',
}

const verificationOwed = {
  message: 'Follow the link in the mail to verify your email address.',
  requireVerification: true,
}

/** Sign-up, sign-in and sign-out (spec/interface.md, Sign-in); none takes an API key. */
export function authenticationRoutes(deps: RouteDeps): Route[] {
  const { config, mesh, attempts } = deps
  const signIn = mesh.client('identity', SignInService)
  const { formerOf, begin } = successionOf(deps)
  return [
    route({
      method: 'POST',
      path: '/api/authentication/register',
      summary: 'Create a login, a user and an account, and sign in',
      auth: 'none',
      body: registration.extend(workKeys(config)),
      find: requireOffered(mesh, 'allowSignUp'),
      answer: { object: { user: UserSchema } },
      handler: async ({ body, options, request, reply }) => {
        const former = formerOf(request)
        const wanted = { ...valuesOf(withWork(body)), ...former }
        const register = () => signIn.register(wanted, options)
        // A success counts too: it may mail an address that is a stranger's.
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
      body: z.strictObject({ email, password, ...workKeys(config) }),
      handler: async ({ body, options, request, reply }) => {
        const former = formerOf(request)
        const credentials = { ...withWork(body), ...former }
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
  const { forget } = successionOf(deps)
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
      // The cookie is gone all the same, and the answer is 200 (spec/interface.md).
      log.warn({ err: error, requestId: requestIdOf(options) }, 'the session could not be ended')
    }
    forget(sessionToken)
  }
}

/** How one session of a browser takes the place of another, which identity ends. */
function successionOf({ cookie, sessions }: Pick<RouteDeps, 'cookie' | 'sessions'>) {
  const forget = (token: string) =>
    sessions.forget((proof) => proof.kind === 'session' && proof.token === token)
  return {
    forget,
    /** The session that the browser has had so far. */
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
