import { type FeedLink, FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import type { Link } from '@coffer/proto/ledger/v1/link'
import type { CallOptions } from '@connectrpc/connect'
import type { RouteDeps } from '../deps.ts'

/** A link with the feed connection of a feed link. */
type ShownLink = { message: Link; feedLink?: FeedLink }

/** Returns the functions that join links and feed connections (docs/architecture.md#ownership). */
export function createFeedLinks({ mesh, log }: RouteDeps) {
  const feedLinks = mesh.client('feed-sync', FeedLinkService)
  return {
    /** One call reads all connections; none without feed links. */
    join: async (links: Link[], options: CallOptions): Promise<ShownLink[]> => {
      const feedLinkIds = links.flatMap(({ feedLinkId }) => feedLinkId ?? [])
      if (feedLinkIds.length === 0) return links.map((message) => ({ message }))
      const { feedLinks: found } = await feedLinks.listFeedLinks({ feedLinkIds }, options)
      const byId = new Map(found.map((one) => [one.feedLinkId, one]))
      return links.map((message) => {
        const feedLink = byId.get(message.feedLinkId ?? '')
        return feedLink ? { message, feedLink } : { message }
      })
    },
    /** Tells feed-sync of a new link; if that fails, the event of the link does it later. */
    activate: async (ids: { feedLinkId: string; linkId: string }, options: CallOptions) => {
      try {
        await feedLinks.activateFeedLink(ids, options)
      } catch (error) {
        const text = 'the feed link could not be activated: the event will do it'
        log.warn({ err: error, ...ids }, text)
      }
    },
  }
}
