import { create } from '@bufbuild/protobuf'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import {
  FeedSyncService,
  type SyncHealth,
  SyncHealthSchema,
} from '@coffer/proto/feedsync/v1/feed_sync'
import { type Link, LinkService } from '@coffer/proto/ledger/v1/link'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answer.ts'
import { type Route, route } from '../../http/route.ts'

/** Returns the route of a link's health (docs/links.md#health). */
export function linkHealthRoutes({ mesh }: RouteDeps): Route[] {
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
      return read && requirePart(read.health)
    } catch (error) {
      if (ConnectError.from(error).code === Code.NotFound) return null
      throw error
    }
  }

  return [
    route({
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
