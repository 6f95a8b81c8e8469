import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodsOf, type RoutedPath } from '../http/route.ts'

/** Throws refused (404) for an unknown path, with or without a credential (docs/api/errors.md). */
function refuseUnknown(): never {
  throw refused(say('PATH_UNKNOWN'), { status: 404 })
}

/** Throws refused (404) for a path with an empty parameter, such as `/api/links/`. */
export function refuseEmpty(request: FastifyRequest): void {
  const params = request.params as Record<string, string>
  for (const name in params) if (params[name] === '') refuseUnknown()
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
 * Answers requests without a route: with 405 and `Allow` if the path has other methods, with the
 * app's page if it is a screen, else with 404. The answer depends on neither credential nor body.
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
    // The asset route also matches missing files: their GET falls through to 404, other methods get
    // 405.
    if (allowed && !allowed.includes(request.method)) refuseMethod(reply, allowed)
    if (!screens?.isScreen(request)) refuseUnknown()
    return screens.sendPage(reply)
  }
  app.setNotFoundHandler(answer)
  app.addHook('onRequest', (request, reply, done) => {
    // In a hook, because Fastify would first read the body, and refuse some bodies, before the
    // handler above.
    if (request.is404) answer(request, reply)
    else done()
  })
}

/**
 * Returns the methods that have a route with the path; null without one. Several patterns may fit,
 * as the router looks for one of the method alone: a DELETE of `…/transactions/upload` is one of a
 * transaction with that ID. Matched here, because registering a route for each refused method would
 * double the start-up time.
 */
function allowedAt(path: string, allowedOf: Map<string, string[]>): string[] | null {
  const parts = path.split('/')
  const fitting = [...allowedOf].filter(([pattern]) => fits(parts, pattern.split('/')))
  const allowed = new Set(fitting.flatMap(([, methods]) => methods))
  return allowed.size > 0 ? [...allowed] : null
}

function fits(parts: string[], pattern: string[]): boolean {
  return (
    parts.length === pattern.length &&
    pattern.every((part, at) => (part.startsWith(':') ? parts[at] !== '' : parts[at] === part))
  )
}
