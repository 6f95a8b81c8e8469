import { SessionSchema, SessionService } from '@coffer/proto/identity/v1/session'
import {
  reAuthenticationIfDue,
  reAuthenticationMessage,
  reAuthenticationText,
} from '../../auth/re-authentication.ts'
import type { RouteDeps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'
import { codesLocked } from './sign-in-answers.ts'

const path = '/api/users/security/sessions'

/** Returns the routes of the caller's sessions (docs/sign-in.md#session-and-cookie). */
export function sessionRoutes({ mesh, sessions: verified }: RouteDeps): Route[] {
  const sessions = mesh.client('identity', SessionService)
  // Clears the cached sessions: the gateway does not know which of them identity has ended.
  const forget = () => verified.forget(({ kind }) => kind === 'session')
  return [
    route({
      id: 'listSessions',
      tag: 'Security',
      method: 'GET',
      path,
      summary: 'Sessions of the caller, newest first',
      description: 'Without pending sessions and without those that have ended.',
      since: '0.1.0',
      auth: 'session',
      pagedBy: { id: 'sessionId', newestFirst: true },
      answer: { list: SessionSchema },
      handler: async ({ options }) => (await sessions.listSessions({}, options)).sessions,
    }),
    route({
      id: 'endOtherSessions',
      tag: 'Security',
      method: 'DELETE',
      path,
      summary: 'End all other sessions of the caller; re-authentication 15 minutes after sign-in',
      description: `The session of the request stays. ${reAuthenticationText}`,
      since: '0.1.0',
      auth: 'session',
      body: reAuthenticationIfDue,
      answers: { 428: codesLocked },
      isBodyOptional: true,
      attempts: 'refused',
      handler: async ({ body, options }) => {
        await sessions.endOtherSessions(reAuthenticationMessage(body), options)
        forget()
      },
    }),
    route({
      id: 'endSession',
      tag: 'Security',
      method: 'DELETE',
      path: `${path}/:sessionId`,
      summary: 'End one session of the caller; re-authentication 15 minutes after sign-in',
      description: `An unknown session is 404. ${reAuthenticationText}`,
      since: '0.1.0',
      auth: 'session',
      body: reAuthenticationIfDue,
      answers: { 428: codesLocked },
      isBodyOptional: true,
      attempts: 'refused',
      handler: async ({ params, body, options }) => {
        await sessions.endSession({ ...params, ...reAuthenticationMessage(body) }, options)
        forget()
      },
    }),
  ]
}
