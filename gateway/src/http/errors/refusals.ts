import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodsOf, type RoutedPath } from '../route.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Throws refused (404) for an unknown path, whatever the credential (docs/api/errors.md). */
function refuseUnknown(): never {
  throw refused('no such path: GET /api/openapi.json lists all', { status: 404 })
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

/**
 * Answers requests that fit no route: with 405 and `Allow` if another method has a route with the
 * path, else with 404. Neither answer depends on the credential.
 */
export function refuseOthers(app: FastifyInstance, routes: readonly RoutedPath[]): void {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  const allowedOf = new Map<string, string[]>()
  for (const [path, known] of byPath) {
    const allowed = known.flatMap(methodsOf)
    allowedOf.set(path, allowed)
    app.route({
      method: methods.filter((method) => !allowed.some((other) => other === method)),
      url: path,
      onRequest: async (request, reply) => {
        refuseEmpty(request)
        refuseMethod(reply, allowed)
      },
      handler: refuseUnknown,
    })
  }
  const refuse = (request: FastifyRequest, reply: FastifyReply): never => {
    const allowed = allowedAt(request.url.split('?', 1)[0] ?? '', allowedOf)
    return allowed ? refuseMethod(reply, allowed) : refuseUnknown()
  }
  app.setNotFoundHandler(refuse)
  app.addHook('onRequest', async (request, reply) => {
    // Fastify refuses a QUERY without Content-Type before it calls the handler above.
    if (request.is404 && request.method === 'QUERY') refuse(request, reply)
  })
}

/**
 * Returns the methods that have a route with the path; null without such a route. Used for rare
 * methods such as TRACE and PROPFIND: routes for all 35 methods would double the start-up time.
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
