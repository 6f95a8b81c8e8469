import { GetMeResponseSchema, UserSchema, UserService } from '@coffer/proto/identity/v1/user'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import type { RouteDeps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'

/** Returns the routes of users (docs/sign-in.md). */
export function userRoutes({ mesh }: RouteDeps): Route[] {
  const users = mesh.client('identity', UserService)
  const links = mesh.client('ledger', LinkService)
  return [
    route({
      id: 'getMe',
      tag: 'Account',
      method: 'GET',
      path: '/api/users/me',
      summary: 'The caller: user, login, account and subscription',
      auth: 'me',
      answer: { message: GetMeResponseSchema, with: { isSetup: { json: { type: 'boolean' } } } },
      handler: async ({ options }) => {
        const listing = links.listLinks({}, options)
        // A pending session may not list links. `await` below handles the error for other sessions.
        listing.catch(() => {})
        const me = await users.getMe({}, options)
        // An account is set up when it has a link that is not deleted.
        const isSetup = !me.mfaPending && (await listing).links.length > 0
        return { message: me, isSetup }
      },
    }),
    route({
      id: 'getUser',
      tag: 'Account',
      method: 'GET',
      path: '/api/users/:userId',
      summary: "A user of the caller's account",
      auth: 'session',
      answer: UserSchema,
      handler: async ({ params, options }) => (await users.getUser(params, options)).user,
    }),
  ]
}
