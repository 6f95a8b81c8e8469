import { sessionCookie } from '../src/auth/cookie.ts'
import { createSessions } from '../src/auth/session.ts'
import type { Route } from '../src/http/route.ts'
import { createRoutes } from '../src/routes.ts'
import type { Gateway } from './gateway.ts'

/** Returns the declarations of all routes of a gateway. */
export function listRoutes({ deps }: Gateway): Route[] {
  const broker = {
    connection: null as never,
    hasConnected: () => true,
    subject: (name: string) => name,
  }
  const unused = { sessions: createSessions(deps), charts: null as never, versionTag: () => ({}) }
  return createRoutes({ ...deps, broker, cookie: sessionCookie(deps.config), ...unused })
}
