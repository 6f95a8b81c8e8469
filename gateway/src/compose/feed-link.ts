import type { JsonObject } from '@bufbuild/protobuf'
import { toRest } from '@coffer/kit/rpc/message'
import type { Log } from '@coffer/kit/service/log'
import { FeedLinkSchema, type FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { type Link, LinkSchema } from '@coffer/proto/ledger/v1/link'
import type { CallOptions, Client } from '@connectrpc/connect'

type FeedLinks = Client<typeof FeedLinkService>

/**
 * Renders links for REST, with the feed connections of feed links as `feedLink`. One call reads all
 * connections, none without feed links (docs/architecture.md#ownership).
 */
export async function renderLinks(
  links: Link[],
  feedLinks: FeedLinks,
  options: CallOptions,
): Promise<JsonObject[]> {
  const feedLinkIds = links.flatMap(({ feedLinkId }) => feedLinkId ?? [])
  if (feedLinkIds.length === 0) return links.map((link) => toRest(LinkSchema, link))
  const { feedLinks: found } = await feedLinks.listFeedLinks({ feedLinkIds }, options)
  const byId = new Map(found.map((one) => [one.feedLinkId, toRest(FeedLinkSchema, one)]))
  return links.map((link) => {
    const feedLink = byId.get(link.feedLinkId ?? '')
    return { ...toRest(LinkSchema, link), ...(feedLink ? { feedLink } : {}) }
  })
}

/** Tells feed-sync of a new link; if that fails, the event of the link does it later. */
export async function activateFeedLink(
  ids: { feedLinkId: string; linkId: string },
  { feedLinks, options, log }: { feedLinks: FeedLinks; options: CallOptions; log: Log },
): Promise<void> {
  try {
    await feedLinks.activateFeedLink(ids, options)
  } catch (error) {
    log.warn({ err: error, ...ids }, 'the feed link could not be activated: the event will do it')
  }
}
