import { FeedLinkSchema, FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { feedApiKey, feedUrl, name } from '../../http/bodies/fields.ts'
import { render, renderAll } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'

const creation = z.strictObject({ name, feedURL: feedUrl, apiKey: feedApiKey })

/** Routes of connections to the feed provider (docs/syncs.md#feed-connections). */
export function feedLinkRoutes({ mesh }: RouteDeps): Route[] {
  const feedLinks = mesh.client('feed-sync', FeedLinkService)
  return [
    route({
      method: 'GET',
      path: '/api/feed/link',
      summary: 'Feed connections, newest first',
      auth: 'key',
      feature: 'feed',
      answer: { list: FeedLinkSchema },
      handler: async ({ options }) => {
        const { feedLinks: live } = await feedLinks.listFeedLinks({}, options)
        return renderAll(FeedLinkSchema, live)
      },
    }),
    route({
      method: 'GET',
      path: '/api/feed/link/:feedLinkId',
      summary: 'One feed connection, deleted ones included',
      auth: 'key',
      feature: 'feed',
      answer: FeedLinkSchema,
      handler: async ({ params, options }) => {
        const { feedLink } = await feedLinks.getFeedLink(params, options)
        return render(FeedLinkSchema, feedLink)
      },
    }),
    route({
      method: 'POST',
      path: '/api/feed/link',
      summary: 'Store a feed connection as pending; the provider is not contacted',
      auth: 'key',
      feature: 'feed',
      idempotent: true,
      body: creation,
      answer: FeedLinkSchema,
      handler: async ({ body: { name: label, feedURL, apiKey }, writeOptions }) => {
        const connection = { name: label, feedUrl: feedURL, apiKey }
        const { feedLink } = await feedLinks.createFeedLink(connection, writeOptions)
        return render(FeedLinkSchema, feedLink)
      },
    }),
  ]
}
