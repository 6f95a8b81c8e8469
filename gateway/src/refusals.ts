import { refused } from '@coffer/kit/errors'
import type { FastifyInstance, FastifyRequest } from 'fastify'
import { methodsOf, type Route } from './route.ts'

const methods = ['GET', 'HEAD', 'POST', 'PUT', 'PATCH', 'DELETE', 'OPTIONS'] as const

/** Answers a path nobody knows: 404, whoever asks (spec/decisions.md, General). */
export function refuseUnknown(_request: FastifyRequest): never {
  throw refused('no such path', { status: 404 })
}

/** Refuses a path that ends where an ID should be: no path has a slash at its end. */
export function refuseEmpty(request: FastifyRequest): void {
  const values = Object.values(request.params as Record<string, string>)
  if (values.includes('')) refuseUnknown(request)
}

/** Answers the other methods of every path: 405 with `Allow`, whoever asks. */
export function refuseOtherMethods(app: FastifyInstance, routes: Route[]): void {
  const byPath = Map.groupBy(routes, ({ path }) => path)
  for (const [path, known] of byPath) {
    const allowed: string[] = known.flatMap(methodsOf)
    const others = methods.filter((method) => !allowed.includes(method))
    app.route({
      method: others,
      url: path,
      onRequest: async (request, reply) => {
        refuseEmpty(request)
        reply.header('allow', allowed.join(', '))
        throw refused('the method is not allowed here', { status: 405 })
      },
      handler: refuseUnknown,
    })
  }
}
