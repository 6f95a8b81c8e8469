import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../http/route.ts'

const cachedForMs = 1_000

/** Returns the route of the health, which also answers without databases (docs/api.md#health). */
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
      auth: 'none',
      answer: { json: { type: 'object' } },
      handler: async ({ reply }) => {
        const dbHealthy = await isHealthy()
        if (!dbHealthy) reply.code(500)
        const serverTime = clock().toISOString()
        return { dbHealthy, apiHealthy: true, release, revision, buildTime, serverTime }
      },
    }),
  ]
}

/** Caches the health for `ms`, so that checks do not queue for an unavailable database. */
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
