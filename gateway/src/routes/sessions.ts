import { SessionSchema, SessionService } from '@coffer/proto/identity/v1/session'
import { renderedAll } from '../rest.ts'
import { type Route, route } from '../route.ts'
import type { RouteDeps } from '../routes.ts'

const path = '/api/users/security/sessions'

/** The caller's own sessions (ours). */
export function sessionRoutes({ mesh, sessions: verified }: RouteDeps): Route[] {
  const sessions = mesh.client('identity', SessionService)
  // Which of those verified has ended is not known here: all are verified again.
  const forget = () => verified.forget(({ kind }) => kind === 'session')
  return [
    route({
      method: 'GET',
      path,
      summary: 'Sessions of the caller, newest first',
      auth: 'session',
      answer: { list: SessionSchema },
      handler: async ({ options }) => {
        const { sessions: live } = await sessions.listSessions({}, options)
        return renderedAll(SessionSchema, live)
      },
    }),
    route({
      method: 'DELETE',
      path,
      summary: 'End every session of the caller but this one',
      auth: 'session',
      handler: async ({ options }) => {
        await sessions.endOtherSessions({}, options)
        forget()
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:sessionId`,
      summary: 'End one session of the caller',
      auth: 'session',
      handler: async ({ params, options }) => {
        await sessions.endSession(params, options)
        forget()
      },
    }),
  ]
}
