import { GetMeResponseSchema, UserSchema, UserService } from '@coffer/proto/identity/v1/user'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { z } from 'zod'
import { reAuthenticationMessage } from '../../auth/re-authentication.ts'
import { createMe } from '../../compose/me.ts'
import type { RouteDeps } from '../../deps.ts'
import { patchText, valuesOf } from '../../http/bodies/update.ts'
import { code, email, password } from '../../http/fields/credentials.ts'
import { name, text } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'
import { emailInUseOrCodesLocked } from './sign-in-answers.ts'

/** Changes of the caller's own data (docs/sign-in.md#own-data). */
const userChange = z
  .strictObject({
    firstName: name.optional().describe('New first name of the person'),
    lastName: text.optional().describe('New last name; a blank text clears it'),
    locale: text.optional().describe('Locale of the account, such as de_DE; else en_US'),
    email: email.optional().describe('New email address, in lower case'),
    currentPassword: password.optional().describe('Re-authentication for a new email address'),
    totp: code.optional().describe('The same by a code of the authenticator'),
  })
  .refine((body) => body.currentPassword === undefined || body.totp === undefined, {
    path: ['totp'],
    error: 'must not be sent with currentPassword',
  })
  .meta({
    not: { properties: { currentPassword: {}, totp: {} }, required: ['currentPassword', 'totp'] },
  })

/** Returns the routes of users (docs/sign-in.md). */
export function userRoutes(deps: RouteDeps): Route[] {
  const { mesh, sessions } = deps
  const users = mesh.client('identity', UserService)
  return [
    meRoute(deps),
    route({
      id: 'updateMe',
      tag: 'Account',
      method: 'PATCH',
      path: '/api/users/me',
      summary: 'Change names, locale or email address; a new address needs re-authentication',
      description:
        `${patchText} Only an owner may change the locale. A new email address needs ` +
        're-authentication in the same body, and counts once it is verified, where the server ' +
        'verifies addresses (docs/sign-in.md#own-data).',
      since: '0.3.0',
      auth: 'session',
      body: userChange,
      // For a new address, counts successes too, as each may send a mail to an address of another
      // person.
      attempts: ({ email: sent }) => (sent === undefined ? 'refused' : 'all'),
      answers: { 428: emailInUseOrCodesLocked },
      answer: UserSchema,
      handler: async ({ accountId, body, options }) => {
        const { currentPassword, totp, ...change } = body
        const proof = currentPassword ? { currentPassword } : totp ? { totp } : {}
        const request = { ...valuesOf(change), ...reAuthenticationMessage(proof) }
        const { user } = await users.updateUser(request, options)
        // Clears the cached credentials, which contain the former locale.
        sessions.forgetAccount(accountId)
        return user
      },
    }),
    route({
      id: 'getUser',
      tag: 'Account',
      method: 'GET',
      path: '/api/users/:userId',
      summary: "A user of the caller's account",
      description:
        'For example the one named by createdBy of an object. Other accounts have none: 404.',
      since: '0.1.0',
      auth: 'session',
      answer: UserSchema,
      handler: async ({ params, options }) => (await users.getUser(params, options)).user,
    }),
  ]
}

function meRoute({ mesh }: RouteDeps): Route {
  const readMe = createMe({ mesh })
  const links = mesh.client('ledger', LinkService)
  return route({
    id: 'getMe',
    tag: 'Account',
    method: 'GET',
    path: '/api/users/me',
    summary: 'The caller: user, login, account and subscription',
    description:
      'Works while the subscription has lapsed, and for a session that still needs its second ' +
      'factor.',
    since: '0.1.0',
    auth: 'me',
    answer: { message: GetMeResponseSchema, with: { isSetup: { json: { type: 'boolean' } } } },
    handler: async ({ options, request }) => {
      const listing = links.listLinks({}, options)
      // Handles a rejection: a pending session may not list links, so its list is not awaited.
      // For other sessions, `await` below throws the error.
      listing.catch(() => {})
      const me = await readMe({ options, request })
      // An account is set up if it has a link that is not deleted.
      const isSetup = !me.mfaPending && (await listing).links.length > 0
      return { message: me, isSetup }
    },
  })
}
