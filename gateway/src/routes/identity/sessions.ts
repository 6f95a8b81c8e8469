import { SessionSchema, SessionService } from '@coffer/proto/identity/v1/session'
import { laterProof, proofMessage } from '../../auth/proof.ts'
import { renderedAll } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

const path = '/api/users/security/sessions'

/** The caller's own sessions (ours). */
export function sessionRoutes({ mesh, sessions: verified, attempts }: RouteDeps): Route[] {
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
      summary: 'End every session of the caller but this one; proved again later than 15 minutes',
      auth: 'session',
      body: laterProof,
      isBodyOptional: true,
      handler: async ({ body, options, request }) => {
        const end = () => sessions.endOtherSessions(proofMessage(body), options)
        await attempts.run(request.ip, end)
        forget()
      },
    }),
    route({
      method: 'DELETE',
      path: `${path}/:sessionId`,
      summary: 'End one session of the caller; proved again later than 15 minutes',
      auth: 'session',
      body: laterProof,
      isBodyOptional: true,
      handler: async ({ params, body, options, request }) => {
        const end = () => sessions.endSession({ ...params, ...proofMessage(body) }, options)
        await attempts.run(request.ip, end)
        forget()
      },
    }),
  ]
}
