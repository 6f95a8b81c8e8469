import { create } from '@bufbuild/protobuf'
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

  /** Returns the health of a feed link; null for links without syncs. */
  async function findHealth(
    { feedLinkId }: Link,
    options: CallOptions,
  ): Promise<SyncHealth | null> {
    if (feedLinkId === undefined) return null
    try {
      const { health } = await feedSyncs.getSyncHealth({ feedLinkId }, options)
      return requirePart(health)
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
