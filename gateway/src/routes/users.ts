import { toRest } from '@coffer/kit/message'
import { GetMeResponseSchema, UserService } from '@coffer/proto/identity/v1/user'
import { LinkService } from '@coffer/proto/ledger/v1/link'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'

export function userRoutes({ mesh }: RouteDeps): Route[] {
  const users = mesh.client('identity', UserService)
  const links = mesh.client('ledger', LinkService)
  return [
    route({
      method: 'GET',
      path: '/api/users/me',
      summary: 'The caller: user, login, account and subscription',
      auth: 'me',
      answer: { message: GetMeResponseSchema, with: { isSetup: { json: { type: 'boolean' } } } },
      handler: async ({ options }) => {
        const [me, live] = await Promise.all([
          users.getMe({}, options),
          links.listLinks({}, options),
        ])
        // An account is set up once it has a live link (spec/identity.md 6.2).
        return { ...toRest(GetMeResponseSchema, me), isSetup: live.links.length > 0 }
      },
    }),
  ]
}
