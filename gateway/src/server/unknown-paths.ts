import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodsOf, type RoutedPath } from '../http/route.ts'

/** Throws refused (404) for an unknown path, whatever the credential (docs/api/errors.md). */
function refuseUnknown(): never {
  throw refused(say('PATH_UNKNOWN'), { status: 404 })
}

/** Throws refused (404) for a path with an empty parameter, such as `/api/links/`. */
export function refuseEmpty(request: FastifyRequest): void {
  const values = Object.values(request.params as Record<string, string>)
  if (values.includes('')) refuseUnknown()
}

function refuseMethod(reply: FastifyReply, allowed: string[]): never {
  reply.header('allow', allowed.join(', '))
  throw refused('the method is not allowed on this path: see the Allow header', { status: 405 })
}

/** Pages for paths without a route, such as the screens of an app. */
interface Fallback {
  isScreen: (request: FastifyRequest) => boolean
  sendPage: (reply: FastifyReply) => FastifyReply
}

/**
 * Answers requests that fit no route: with 405 and `Allow` if another method has a route with the
 * path, with the page of the app for one of its screens, else with 404. No answer depends on the
 * credential or the body.
 */
export function refuseOthers(
  app: FastifyInstance,
  routes: readonly RoutedPath[],
  screens: Fallback | null,
): void {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const allowedOf = new Map(
    [...byPath].map(([path, known]) => [path, known.flatMap(methodsOf)] as const),
  )
  const answer = (request: FastifyRequest, reply: FastifyReply): FastifyReply => {
    const allowed = allowedAt(request.url.split('?', 1)[0] ?? '', allowedOf)
    // The files of the app are a path with a method that fits, also for a file that is not there.
    if (allowed && !allowed.includes(request.method)) refuseMethod(reply, allowed)
    if (!screens?.isScreen(request)) refuseUnknown()
    return screens.sendPage(reply)
  }
  app.setNotFoundHandler(answer)
  app.addHook('onRequest', async (request, reply) => {
    // Fastify would read the body, and refuse some, before it calls the handler above.
    if (request.is404) return answer(request, reply)
  })
}

/**
 * Returns the methods that have a route with the path; null without such a route. Routes for the
 * refused methods of each path would double the start-up time.
 */
function allowedAt(path: string, allowedOf: Map<string, string[]>): string[] | null {
  const exact = allowedOf.get(path)
  if (exact) return exact
  const parts = path.split('/')
  const found = [...allowedOf].find(([pattern]) => fits(parts, pattern.split('/')))
  return found?.[1] ?? null
}

function fits(parts: string[], pattern: string[]): boolean {
  return (
    parts.length === pattern.length &&
    pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : parts[at] === part))
  )
}
