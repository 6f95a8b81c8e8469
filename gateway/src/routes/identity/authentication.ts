import { say } from '@coffer/kit/reasons/reasons'
import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import {
  IssueChallengeResponseSchema,
  ProofOfWorkService,
} from '@coffer/proto/identity/v1/proof_of_work'
import { SignInService } from '@coffer/proto/identity/v1/sign_in'
import { values } from '@coffer/proto/values'
import type { FastifyReply, FastifyRequest } from 'fastify'
import { z } from 'zod'
import { deviceNameOf } from '../../auth/device-name.ts'
import { requireOfferedFeature } from '../../auth/features.ts'
import { proofOfWorkKeys, withProofOfWork } from '../../auth/proof-of-work.ts'
import type { RouteDeps } from '../../deps.ts'
import { valuesOf } from '../../http/bodies/update.ts'
import { code, email, password } from '../../http/fields/credentials.ts'
import { boolean, ignoringNull, name, oneOf, text } from '../../http/fields/fields.ts'
import { formShape } from '../../http/fields/shapes.ts'
import { type Route, route } from '../../http/route.ts'
import {
  codesLocked,
  emailInUse,
  registrationAnswer,
  signedInAnswer,
  signInStep,
} from './sign-in-answers.ts'

const isForeignDevice = boolean
  .default(false)
  .describe(
    "Whether the device is not the person's own: the session then ends 12 hours after the " +
      'sign-in, and its cookie with the browser. Default: false',
  )

const credentials = z.strictObject({
  email: email.describe('Email address of the login, in lower case'),
  password: password.describe('Password of the login'),
  isForeignDevice,
})

const registration = z.strictObject({
  email: email.describe('Email address in lower case; upper case is 400'),
  firstName: name.describe('First name of the person'),
  lastName: text.optional().describe('Last name of the person. Default: empty'),
  password: password.describe('Password, 8 to 72 characters (docs/security.md#passwords)'),
  locale: text
    .optional()
    .describe('Language and country, as de_DE or de-DE; unknown and missing ones are en_US'),
  timezone: text
    .meta(formShape('(?:[A-Za-z][A-Za-z0-9_+\\-/]{0,99})?'))
    .optional()
    .describe("IANA name of the timezone of the account's days. Default: UTC"),
  betaCode: ignoringNull(text).describe(
    'Code that permits the registration; ignored unless the server requires beta codes',
  ),
  isForeignDevice,
})

// Answer to a sign-in that requires a code next (docs/sign-in.md#second-factor).
const secondFactorOwed = {
  error: 'a code of the authenticator is required',
  code: 'MFA_REQUIRED',
  nextUrl: '/login/multifactor',
}

// Answer to a sign-in that requires a new password next, set by `resetToken`
// (docs/sign-in.md#passwords).
const passwordChangeOwed = {
  error: say('PASSWORD_CHANGE_REQUIRED'),
  code: 'PASSWORD_CHANGE_REQUIRED',
}

const verificationOwed = {
  message: 'Follow the link in the mail to verify your email address.',
  requireVerification: true,
}

/**
 * Returns the routes of registration, sign-in and sign-out, which accept no API keys
 * (docs/sign-in.md).
 */
export function authenticationRoutes(deps: RouteDeps): Route[] {
  return [registrationRoute(deps), ...signInRoutes(deps), logoutRoute(deps), challengeRoute(deps)]
}

function registrationRoute(deps: RouteDeps): Route {
  const { config, mesh } = deps
  const signIn = mesh.client('identity', SignInService)
  const { formerOf, begin } = createSuccession(deps)
  return route({
    id: 'registerAccount',
    tag: 'Sign-in',
    method: 'POST',
    path: '/api/authentication/register',
    summary: 'Create a login, a user and an account, and sign in',
    description:
      'Without verification of addresses the answer begins a session, in the cookie. With it, ' +
      'there is no session yet and a mail with a link is sent (docs/sign-in.md#registration).',
    since: '0.1.0',
    auth: 'none',
    body: registration.extend(proofOfWorkKeys(config)),
    find: requireOfferedFeature(mesh, 'allowSignUp'),
    // Counts successes too, as each may send a mail to an address of another person.
    attempts: 'all',
    headers: ['Set-Cookie'],
    answers: { 428: emailInUse },
    answer: registrationAnswer,
    handler: async ({ body, options, request, reply }) => {
      const former = formerOf(request)
      const wanted = { ...valuesOf(withProofOfWork(body)), ...former }
      const registered = await signIn.register(wanted, options)
      const { user, sessionToken, isActive, requiresVerification } = registered
      if (requiresVerification || !user) return verificationOwed
      begin(reply, { sessionToken, ...former, isForeignDevice: body.isForeignDevice })
      return { nextUrl: '/setup', requireVerification: false, isActive, user }
    },
  })
}

function signInRoutes(deps: RouteDeps): Route[] {
  const { config, mesh } = deps
  const signIn = mesh.client('identity', SignInService)
  const multifactor = mesh.client('identity', MultifactorService)
  const { formerOf, begin } = createSuccession(deps)
  const signedIn = (isActive: boolean) =>
    isActive ? { isActive } : { isActive, nextUrl: '/account/subscribe' }
  return [
    route({
      id: 'signIn',
      tag: 'Sign-in',
      method: 'POST',
      path: '/api/authentication/login',
      summary: 'Sign in; the session is in the cookie',
      description:
        'The token of the session is in the cookie alone, never in a body; a former session of ' +
        'the browser ends. 428 names the step that has to come first ' +
        '(docs/sign-in.md#signing-in).',
      since: '0.1.0',
      auth: 'none',
      body: credentials.extend(proofOfWorkKeys(config)),
      attempts: 'refused',
      headers: ['Set-Cookie'],
      answers: {
        401: 'The email address is not known or the password is wrong',
        406: 'The password has expired, and passwords cannot be reset on this server',
        428: signInStep,
      },
      answer: signedInAnswer,
      handler: async ({ body, options, request, reply }) => {
        const former = formerOf(request)
        const answer = await signIn.login({ ...withProofOfWork(body), ...former }, options)
        const { sessionToken, isActive, mfaRequired, resetToken } = answer
        if (mfaRequired || resetToken !== '') reply.code(428)
        if (resetToken !== '') return { ...passwordChangeOwed, resetToken }
        begin(reply, { sessionToken, ...former, isForeignDevice: body.isForeignDevice })
        return mfaRequired ? secondFactorOwed : signedIn(isActive)
      },
    }),
    route({
      id: 'completeSignIn',
      tag: 'Sign-in',
      method: 'POST',
      path: '/api/authentication/multifactor',
      summary: 'Finish a sign-in with a code of the authenticator or a recovery code',
      description:
        'For a pending session, which ends after 5 minutes. A wrong code is 401 and does not ' +
        'end it; a right one sets a new cookie (docs/sign-in.md#second-factor).',
      since: '0.1.0',
      auth: 'multifactor',
      body: z.strictObject({
        totp: code.describe('Code of the authenticator, or a recovery code'),
      }),
      attempts: 'refused',
      headers: ['Set-Cookie'],
      answers: { 428: codesLocked },
      answer: signedInAnswer,
      handler: async ({ body, options, request, reply }) => {
        const wanted = { ...body, ...deviceOf(request) }
        const { isActive, ...begun } = await multifactor.completeSignIn(wanted, options)
        begin(reply, { ...begun, ...formerOf(request) })
        return signedIn(isActive)
      },
    }),
  ]
}

function logoutRoute(deps: RouteDeps): Route {
  const { mesh, cookie, log } = deps
  const signIn = mesh.client('identity', SignInService)
  const { formerOf, forget } = createSuccession(deps)
  return route({
    id: 'signOut',
    tag: 'Sign-in',
    method: 'GET',
    path: '/api/authentication/logout',
    summary: 'Sign out; always succeeds, except for pages of other origins',
    description: 'Ends the session and clears the cookie, also without a session.',
    since: '0.1.0',
    auth: 'none',
    hasEffect: true,
    headers: ['Set-Cookie'],
    handler: async ({ options, request, reply }) => {
      const { formerSessionToken: sessionToken } = formerOf(request)
      cookie.clear(reply)
      if (sessionToken === '') return
      try {
        await signIn.logout({ sessionToken }, options)
      } catch (error) {
        // Logged only: sign-out answers 200 and clears the cookie even then
        // (docs/sign-in.md#signing-in).
        const text = 'the session could not be ended: it expires by itself'
        log.warn({ err: error, requestId: request.id }, text)
      }
      forget(sessionToken)
    },
  })
}

function challengeRoute({ mesh }: RouteDeps): Route {
  const proofOfWork = mesh.client('identity', ProofOfWorkService)
  return route({
    id: 'createChallenge',
    tag: 'Sign-in',
    method: 'POST',
    path: '/api/authentication/challenge',
    summary: 'Issue a proof-of-work challenge for one request of the purpose',
    description:
      'The client searches for a nonce and sends both with its request; a challenge is accepted ' +
      'once (docs/sign-in.md#proof-of-work).',
    since: '0.1.0',
    auth: 'none',
    body: z.strictObject({
      purpose: oneOf(values['IssueChallengeRequest.purpose']).describe(
        'Request that the solved challenge is for',
      ),
    }),
    find: requireOfferedFeature(mesh, 'proofOfWorkEnabled'),
    answer: IssueChallengeResponseSchema,
    handler: ({ body, options }) => proofOfWork.issueChallenge(body, options),
  })
}

/** Returns the message field with the device of a request (docs/sign-in.md#session-and-cookie). */
function deviceOf({ headers }: FastifyRequest): { deviceName: string } {
  return { deviceName: deviceNameOf(headers['user-agent']) }
}

interface Begun {
  sessionToken: string
  formerSessionToken: string
  isForeignDevice: boolean
}

/**
 * Returns functions for the change of a browser's session: a new sign-in ends the previous session.
 */
function createSuccession({ cookie, sessions }: RouteDeps) {
  const forget = (token: string) =>
    sessions.forget((sent) => sent.kind === 'session' && sent.token === token)
  return {
    forget,
    /**
     * Returns the session token in the cookie, empty without a cookie, and the name of the device.
     */
    formerOf: (request: FastifyRequest) => ({
      formerSessionToken: cookie.read(request) ?? '',
      ...deviceOf(request),
    }),
    begin: (reply: FastifyReply, began: Begun) => {
      forget(began.formerSessionToken)
      cookie.set(reply, began.sessionToken, { endsWithBrowser: began.isForeignDevice })
    },
  }
}
