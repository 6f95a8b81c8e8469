import type { Mesh } from '@coffer/kit/rpc/mesh'
import type { Log } from '@coffer/kit/service/log'
import {
  type AggregatorLink,
  AggregatorLinkSchema,
  AggregatorLinkService,
} from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { type FeedLink, FeedLinkSchema, FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { type Link, LinkSchema } from '@coffer/proto/ledger/v1/link'
import type { CallOptions } from '@connectrpc/connect'
import { afterCommit } from './after-commit.ts'

/** Shape of a link in an answer (docs/links.md#links). */
export const linkAnswer = {
  message: LinkSchema,
  with: {
    feedLink: { optional: FeedLinkSchema },
    aggregatorLink: { optional: AggregatorLinkSchema },
  },
}

/** A link with its connection to the feed or the aggregator, if it has one. */
type ShownLink = { message: Link; feedLink?: FeedLink; aggregatorLink?: AggregatorLink }

// Maximum number of IDs in a call of aggregator-sync; an account rarely has more links.
const idsPerCall = 1_000

/**
 * Returns a connection, marked as ended if its link is deleted: its service learns of the deletion
 * later, by an event.
 */
function endWith<Connection extends FeedLink | AggregatorLink>(
  { deletedAt }: Link,
  connection: Connection,
): Connection {
  if (!deletedAt || connection.deletedAt) return connection
  return { ...connection, status: 'deactivated', deletedAt }
}

function isManual({ feedLinkId, linkType }: Link): boolean {
  return !feedLinkId && linkType !== 'aggregator'
}

/** Returns functions that join links with their connections (docs/architecture.md#ownership). */
export function createConnections({ mesh, log }: { mesh: Mesh; log: Log }) {
  const feedLinks = mesh.client('feed-sync', FeedLinkService)
  const aggregatorLinks = mesh.client('aggregator-sync', AggregatorLinkService)

  async function listFeedLinks(links: Link[], options: CallOptions): Promise<FeedLink[]> {
    const feedLinkIds = links.flatMap(({ feedLinkId }) => feedLinkId ?? [])
    if (feedLinkIds.length === 0) return []
    return (await feedLinks.listFeedLinks({ feedLinkIds }, options)).feedLinks
  }

  async function listAggregatorLinks(
    links: Link[],
    options: CallOptions,
  ): Promise<AggregatorLink[]> {
    const ids = links.flatMap((one) => (one.linkType === 'aggregator' ? one.linkId : []))
    const found: AggregatorLink[] = []
    for (let at = 0; at < ids.length; at += idsPerCall) {
      const linkIds = ids.slice(at, at + idsPerCall)
      const listed = await aggregatorLinks.listAggregatorLinks({ linkIds }, options)
      found.push(...listed.aggregatorLinks)
    }
    return found
  }

  async function join(links: Link[], options: CallOptions): Promise<ShownLink[]> {
    if (links.every(isManual)) return links.map((message) => ({ message }))
    const [feeds, aggregators] = await Promise.all([
      listFeedLinks(links, options),
      listAggregatorLinks(links, options),
    ])
    const feedById = new Map(feeds.map((one) => [one.feedLinkId, one]))
    const aggregatorById = new Map(aggregators.map((one) => [one.linkId, one]))
    return links.map((message) => {
      const feedLink = feedById.get(message.feedLinkId ?? '')
      if (feedLink) return { message, feedLink: endWith(message, feedLink) }
      const aggregatorLink = aggregatorById.get(message.linkId)
      if (!aggregatorLink) return { message }
      return { message, aggregatorLink: endWith(message, aggregatorLink) }
    })
  }

  return {
    /** Joins links with their connections, by at most one call per service. */
    join,
    /** Joins a changed link with its connection; without one if the service is unavailable. */
    joinChanged: async (message: Link, options: CallOptions) => {
      const [shown] = await afterCommit({ log }, () => join([message], options), {
        otherwise: [{ message }],
        text: 'a link is answered without its connection',
        about: { linkId: message.linkId },
      })
      return shown
    },
    /**
     * Notifies feed-sync that a link uses a feed connection. If this fails, feed-sync learns it by
     * an event.
     */
    activate: async (ids: { feedLinkId: string; linkId: string }, options: CallOptions) => {
      await afterCommit({ log }, () => feedLinks.activateFeedLink(ids, options), {
        otherwise: null,
        text: 'the feed link could not be activated: the event will do it',
        about: ids,
      })
    },
  }
}
