import { FeedLinkSchema, FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { z } from 'zod'
import type { RouteDeps } from '../../deps.ts'
import { feedApiKey, feedUrl, name } from '../../http/fields/fields.ts'
import { type Route, route } from '../../http/route.ts'

const creation = z.strictObject({
  name: name.describe('Name of the connection'),
  feedURL: feedUrl.describe(
    'Base URL of the provider, http or https, one of feedAllowedAPIURLs of GET /api/config',
  ),
  apiKey: feedApiKey.describe('API key of the provider; stored encrypted, never answered'),
})

/** Returns the routes of feed connections (docs/banks/feed.md#connections). */
export function feedLinkRoutes({ mesh }: RouteDeps): Route[] {
  const feedLinks = mesh.client('feed-sync', FeedLinkService)
  return [
    route({
      id: 'listFeedLinks',
      tag: 'Feed',
      method: 'GET',
      path: '/api/feed/link',
      summary: 'Feed connections, newest first',
      description: 'Without deleted ones, all on one page.',
      since: '0.1.0',
      auth: 'key',
      feature: 'feed',
      pagedBy: { id: 'feedLinkId', newestFirst: true },
      answer: { list: FeedLinkSchema },
      handler: async ({ options }) => (await feedLinks.listFeedLinks({}, options)).feedLinks,
    }),
    route({
      id: 'getFeedLink',
      tag: 'Feed',
      method: 'GET',
      path: '/api/feed/link/:feedLinkId',
      summary: 'One feed connection, deleted ones included',
      description: 'The API key of the provider is never answered.',
      since: '0.1.0',
      auth: 'key',
      feature: 'feed',
      answer: FeedLinkSchema,
      handler: async ({ params, options }) =>
        (await feedLinks.getFeedLink(params, options)).feedLink,
    }),
    route({
      id: 'createFeedLink',
      tag: 'Feed',
      method: 'POST',
      path: '/api/feed/link',
      summary: 'Store a feed connection as pending; the provider is not contacted',
      description:
        'The next steps are a refresh, and a link with its ID; a connection without a link is ' +
        'removed after a day (docs/banks/feed.md#connections).',
      since: '0.1.0',
      auth: 'key',
      feature: 'feed',
      idempotent: true,
      body: creation,
      answer: FeedLinkSchema,
      handler: async ({ body: { name: label, feedURL, apiKey }, writeOptions }) => {
        const connection = { name: label, feedUrl: feedURL, apiKey }
        const { feedLink } = await feedLinks.createFeedLink(connection, writeOptions)
        return feedLink
      },
    }),
  ]
}
