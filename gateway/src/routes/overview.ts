import { createOverview, overviewAnswer } from '../compose/overview.ts'
import type { RouteDeps } from '../deps.ts'
import { type Route, route } from '../http/route.ts'

/** Returns the route of the overview of an account (docs/api/overview.md). */
export function overviewRoutes(deps: RouteDeps): Route[] {
  const read = createOverview(deps)
  return [
    route({
      id: 'getOverview',
      tag: 'Bank accounts',
      method: 'GET',
      path: '/api/overview',
      summary: 'Bank accounts, envelopes that are behind, paydays and links in one answer',
      description:
        'For a start page: live bank accounts with their balances and the payments to assign, at ' +
        'most 100 expenses and goals that are behind, at most 20 next paydays with the money ' +
        'that they move into envelopes, and links with the state of their connections ' +
        '(docs/api/overview.md).',
      since: '0.4.0',
      auth: 'key',
      answer: overviewAnswer,
      handler: ({ options }) => read(options),
    }),
  ]
}
