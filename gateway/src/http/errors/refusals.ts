import { refused } from '@coffer/kit/rpc/errors'
import type { FastifyInstance, FastifyReply, FastifyRequest } from 'fastify'
import { methodsOf, type Route } from '../route.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Answers a path nobody knows: 404, whoever asks (spec/decisions.md, General). */
function refuseUnknown(): never {
  throw refused('no such path', { status: 404 })
}

/** Refuses a path that ends where an ID should be: no path has a slash at its end. */
export function refuseEmpty(request: FastifyRequest): void {
  const values = Object.values(request.params as Record<string, string>)
  if (values.includes('')) refuseUnknown()
}

function refuseMethod(reply: FastifyReply, allowed: string[]): never {
  reply.header('allow', allowed.join(', '))
  throw refused('the method is not allowed here', { status: 405 })
}

/**
 * Answers the other methods of every path with 405 and `Allow`, and other paths with 404, with or
 * without a credential.
 */
export function refuseOthers(app: FastifyInstance, routes: Route[]): void {
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
  app.setNotFoundHandler((request, reply) => {
    const allowed = allowedAt(request.url.split('?', 1)[0] ?? '', allowedOf)
    return allowed ? refuseMethod(reply, allowed) : refuseUnknown()
  })
}

/**
 * The methods of a path, or null for an unknown one. For methods that are not routed, such as TRACE
 * and PROPFIND: routes for all 35 of them would double the time of a start.
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
