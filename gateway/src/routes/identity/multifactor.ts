import { MultifactorService } from '@coffer/proto/identity/v1/multifactor'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { code } from '../../http/bodies/fields.ts'
import { type Route, route } from '../../http/route.ts'

/** Routes of the second step of a sign-in (docs/sign-in.md#second-factor). */
export function multifactorRoutes({ mesh, cookie, sessions, attempts }: RouteDeps): Route[] {
  const multifactor = mesh.client('identity', MultifactorService)
  return [
    route({
      method: 'POST',
      path: '/api/authentication/multifactor',
      summary: 'Finish a sign-in with a code of the authenticator or a recovery code',
      auth: 'multifactor',
      body: z.strictObject({ totp: code }),
      answer: { object: { isActive: { json: { type: 'boolean' } } } },
      handler: async ({ body, options, request, reply }) => {
        const complete = () => multifactor.completeSignIn(body, options)
        const { sessionToken, isActive } = await attempts.run(request.ip, complete)
        const pending = cookie.read(request)
        sessions.forget((sent) => sent.kind === 'session' && sent.token === pending)
        cookie.set(reply, sessionToken)
        return isActive ? { isActive } : { isActive, nextUrl: '/account/subscribe' }
      },
    }),
  ]
}
