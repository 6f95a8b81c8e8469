import { create } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import {
  FeedSyncService,
  SyncErrorSchema,
  type SyncHealth,
  SyncHealthSchema,
} from '@coffer/proto/feedsync/v1/feed_sync'
import { type Link, LinkService } from '@coffer/proto/ledger/v1/link'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answer.ts'
import { type Route, route } from '../../http/route.ts'

/** Settings that switch the syncs of a type of links on. */
const switches = {
  feed: 'COFFER_FEED_ENABLED=true (npm start -- --try-feed does it for the simulated feed)',
  aggregator:
    'COFFER_AGGREGATOR_ENABLED=true (npm start -- --try-aggregator does it for the simulated one)',
}

/** A deleted link has no next sync, also before the service of its syncs learns of the deletion. */
function endWith({ deletedAt }: Link, health: SyncHealth): SyncHealth {
  if (!deletedAt) return health
  const { nextAttempt: _, ...rest } = health
  return { ...rest, status: 'deactivated' }
}

/** Returns the route of a link's health (docs/links.md#health). */
export function linkHealthRoutes({ mesh, config, clock }: RouteDeps): Route[] {
  const links = mesh.client('ledger', LinkService)
  const feedSyncs = mesh.client('feed-sync', FeedSyncService)
  const aggregatorSyncs = mesh.client('aggregator-sync', AggregatorSyncService)

  function readHealth({ linkId, linkType, feedLinkId }: Link, options: CallOptions) {
    if (linkType === 'aggregator') return aggregatorSyncs.getAggregatorHealth({ linkId }, options)
    return feedLinkId === undefined ? null : feedSyncs.getSyncHealth({ feedLinkId }, options)
  }

  /** Returns the health of a link, from the service of its syncs; null without syncs. */
  async function findHealth(link: Link, options: CallOptions): Promise<SyncHealth | null> {
    try {
      const read = await readHealth(link, options)
      return read && explainSwitch(endWith(link, requirePart(read.health)), link)
    } catch (error) {
      if (ConnectError.from(error).code === Code.NotFound) return null
      throw error
    }
  }

  /** States in the health of a live connection that this server has its syncs switched off. */
  function explainSwitch(health: SyncHealth, { linkType }: Link): SyncHealth {
    const type = linkType === 'aggregator' ? 'aggregator' : 'feed'
    if (config[`${type}Enabled`] || health.status === 'deactivated') return health
    const { nextAttempt: _, ...rest } = health
    const lastError = create(SyncErrorSchema, {
      code: 'switched-off',
      text: 'this server does not sync links of this type: the integration is switched off',
      advice: `Ask the operator of the server to set ${switches[type]} and to restart it.`,
      at: timestampFromDate(clock()),
    })
    return { ...rest, lastError }
  }

  return [
    route({
      id: 'getLinkHealth',
      tag: 'Links',
      method: 'GET',
      path: '/api/links/:linkId/health',
      summary: 'Syncs of a link: the last, the next, failures with advice, and numbers of changes',
      auth: 'key',
      answer: SyncHealthSchema,
      handler: async ({ params, options }) => {
        const link = requirePart((await links.getLink(params, options)).link)
        const health = await findHealth(link, options)
        const { linkId, linkType } = link
        return { ...(health ?? create(SyncHealthSchema, { status: 'none' })), linkId, linkType }
      },
    }),
  ]
}
