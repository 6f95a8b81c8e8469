import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../http/route.ts'

const cachedForMs = 1_000

const health = {
  type: 'object',
  properties: {
    dbHealthy: { type: 'boolean', description: 'Whether the databases of all services answer' },
    apiHealthy: { type: 'boolean', const: true, description: 'True in every answer' },
    release: {
      type: ['string', 'null'],
      description: 'Version of the release; null for other builds',
    },
    revision: { type: 'string', description: 'Revision of the source; empty if it is not known' },
    buildTime: { type: 'string', description: 'Time of the build; empty if it is not known' },
    serverTime: {
      type: 'string',
      format: 'date-time',
      description: 'Clock of the server, in UTC',
    },
  },
  required: ['dbHealthy', 'apiHealthy', 'release', 'revision', 'buildTime', 'serverTime'],
}

/** Returns the health route, which answers even without databases (docs/api.md#health). */
export function healthRoutes(deps: RouteDeps): Route[] {
  const { config, clock } = deps
  const { release, revision, buildTime } = config
  const isHealthy = cachedHealth(cachedForMs, deps)
  return [
    route({
      id: 'getHealth',
      tag: 'Server',
      method: 'GET',
      path: '/api/health',
      summary: 'Health of the server and its databases',
      description:
        'Needs no credential. 500 with the same body while a database is away; the result is ' +
        'cached for a second (docs/api.md#health).',
      since: '0.1.0',
      auth: 'none',
      answer: { json: health },
      answers: { 500: { description: 'A database is away', answer: { json: health } } },
      handler: async ({ reply }) => {
        const dbHealthy = await isHealthy()
        if (!dbHealthy) reply.code(500)
        const serverTime = clock().toISOString()
        return { dbHealthy, apiHealthy: true, release, revision, buildTime, serverTime }
      },
    }),
  ]
}

/** Caches the health for `ms`, so that checks do not accumulate at an unavailable database. */
function cachedHealth(ms: number, { isHealthy, clock }: Pick<RouteDeps, 'isHealthy' | 'clock'>) {
  let cached = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve(false) }
  return () => {
    const now = clock().getTime()
    if (now - cached.at >= ms || now < cached.at) {
      cached = { at: now, answer: isHealthy().catch(() => false) }
    }
    return cached.answer
  }
}
