import { toRest } from '@coffer/kit/message'
import { headers } from '@coffer/kit/rpc'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { UserSchema } from '@coffer/proto/identity/v1/user'
import type { CallOptions } from '@connectrpc/connect'
import { z } from 'zod'
import { limitAttempts } from '../attempts.ts'
import { email, name, password, text } from '../fields.ts'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'
import { valuesOf } from '../update.ts'

const registration = z.strictObject({
  email,
  firstName: name,
  lastName: text.optional(),
  password,
  locale: text.optional(),
  timezone: text.optional(),
  // Clients that know beta codes send null where none is asked for.
  betaCode: z.null({ error: 'beta codes are not in use' }).optional(),
})

// A session that owes its second factor is in the cookie (spec/interface.md, POST login).
const secondFactorOwed = {
  error: 'a code of the authenticator is required',
  code: 'MFA_REQUIRED',
  nextUrl: '/login/multifactor',
}

/** Sign-up, sign-in and sign-out (spec/interface.md, Sign-in); none takes an API key. */
export function authenticationRoutes(deps: RouteDeps): Route[] {
  const { config, mesh, cookie, sessions, clock, log } = deps
  const attempts = limitAttempts({ max: config.signInLimitPerMinute, clock })
  const signIn = mesh.client('identity', SignInService)
  return [
    route({
      method: 'POST',
      path: '/api/authentication/register',
      summary: 'Create a login, a user and an account, and sign in',
      auth: 'none',
      body: registration,
      answer: { object: { user: UserSchema } },
      handler: async ({ body, options, reply }) => {
        const { betaCode: _, ...registrant } = body
        const { user, sessionToken, isActive } = await signIn.register(
          valuesOf(registrant),
          options,
        )
        cookie.set(reply, sessionToken)
        const answer = { nextUrl: '/setup', requireVerification: false, isActive }
        return user ? { ...answer, user: toRest(UserSchema, user) } : answer
      },
    }),
    route({
      method: 'POST',
      path: '/api/authentication/login',
      summary: 'Sign in; the session is in the cookie',
      auth: 'none',
      body: z.strictObject({ email, password }),
      handler: async ({ body, options, request, reply }) => {
        const login = () => signIn.login(body, options)
        const { sessionToken, isActive, mfaRequired } = await attempts.run(request.ip, login)
        cookie.set(reply, sessionToken)
        if (mfaRequired) {
          reply.code(428)
          return secondFactorOwed
        }
        return isActive ? { isActive } : { isActive, nextUrl: '/account/subscribe' }
      },
    }),
    route({
      method: 'GET',
      path: '/api/authentication/logout',
      summary: 'Sign out; always succeeds',
      auth: 'none',
      handler: async ({ options, request, reply }) => {
        const token = cookie.read(request)
        cookie.clear(reply)
        if (token) await end(token, options)
      },
    }),
  ]

  async function end(sessionToken: string, options: CallOptions): Promise<void> {
    try {
      await signIn.logout({ sessionToken }, options)
    } catch (error) {
      // The cookie is gone all the same, and the answer is 200 (spec/interface.md).
      log.warn({ err: error, requestId: requestIdOf(options) }, 'the session could not be ended')
    }
    sessions.forget((proof) => proof.kind === 'session' && proof.token === sessionToken)
  }
}

function requestIdOf(options: CallOptions): string {
  return new Headers(options.headers).get(headers.requestId) ?? ''
}
