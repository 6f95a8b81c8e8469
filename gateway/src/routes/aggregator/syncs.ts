import { say } from '@coffer/kit/reasons/reasons'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import { z } from 'zod'
import { createGetAggregatorLink } from '../../compose/aggregator-link.ts'
import type { RouteDeps } from '../../deps.ts'
import { id } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'

/** Returns the routes of syncs of aggregator links (docs/links.md#over-the-aggregator). */
export function aggregatorSyncRoutes({ mesh }: RouteDeps): Route[] {
  const syncs = mesh.client('aggregator-sync', AggregatorSyncService)
  const getLink = createGetAggregatorLink(mesh, say('NOT_PLAID_SYNC'))
  return [
    route({
      id: 'syncAggregatorLink',
      tag: 'Aggregator',
      method: 'POST',
      path: '/api/aggregator/link/sync',
      summary: 'Start a sync of an aggregator link, at most once in 30 minutes',
      description:
        'The sync runs in the background: read the health of the link. 425 with Retry-After ' +
        'within 30 minutes (docs/links.md#over-the-aggregator).',
      since: '0.2.0',
      auth: 'paidSession',
      feature: 'aggregator',
      success: 202,
      isThrottled: true,
      body: z.strictObject({
        linkId: id('link').describe('Link over the aggregator, with status setup or error'),
      }),
      handler: async ({ body: { linkId }, options }) => {
        await getLink(linkId, options)
        await syncs.requestAggregatorSync({ linkId }, options)
      },
    }),
  ]
}
