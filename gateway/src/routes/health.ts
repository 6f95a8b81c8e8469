import { type Route, route } from '../http/route.ts'
import type { RouteDeps } from '../http/routes.ts'

const heldForMs = 1_000

/** Health of the server; needs no credential and no working database (spec/identity.md 3.1). */
export function healthRoutes(deps: RouteDeps): Route[] {
  const { config, clock } = deps
  const { release, revision, buildTime } = config
  const isHealthy = heldFor(heldForMs, deps)
  return [
    route({
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

/** Asks at most once in that time, however many want to know. */
function heldFor(ms: number, { isHealthy, clock }: Pick<RouteDeps, 'isHealthy' | 'clock'>) {
  let asked = { at: Number.NEGATIVE_INFINITY, answer: Promise.resolve(false) }
  return () => {
    const now = clock().getTime()
    if (now - asked.at >= ms || now < asked.at) {
      asked = { at: now, answer: isHealthy().catch(() => false) }
    }
    return asked.answer
  }
}
