import {
  FeedBankAccountSchema,
  FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import { FeedLinkSchema, FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { z } from 'zod'
import type { RouteDeps } from '../deps.ts'
import { feedApiKey, feedUrl, name } from '../http/bodies/fields.ts'
import { type Route, route } from '../http/route.ts'

const creation = z.strictObject({
  name: name.describe('Name of the connection'),
  feedURL: feedUrl.describe(
    'Base URL of the provider, http or https, one of feedAllowedAPIURLs of GET /api/config',
  ),
  apiKey: feedApiKey.describe('API key of the provider; stored encrypted, never answered'),
})

// Timeout of a refresh by feed-sync, which itself waits 15 s for the provider.
const refreshTimeoutMs = 20_000

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

/** Returns the routes of bank accounts that connections offer (docs/banks/feed.md#candidates). */
export function feedBankAccountRoutes({ mesh }: RouteDeps): Route[] {
  const candidates = mesh.client('feed-sync', FeedBankAccountService)
  return [
    route({
      id: 'listFeedBankAccounts',
      tag: 'Feed',
      method: 'GET',
      path: '/api/feed/link/:feedLinkId/bank_accounts',
      summary: 'Bank accounts that a feed connection offers, used or not, newest first',
      auth: 'key',
      feature: 'feed',
      pagedBy: { id: 'feedBankAccountId', newestFirst: true },
      answer: { list: FeedBankAccountSchema },
      handler: async ({ params, options }) =>
        (await candidates.listFeedBankAccounts(params, options)).feedBankAccounts,
    }),
    route({
      id: 'refreshFeedBankAccounts',
      tag: 'Feed',
      method: 'POST',
      path: '/api/feed/link/:feedLinkId/bank_accounts/refresh',
      summary: 'Ask the provider for bank accounts: adds new ones and checks the API key',
      auth: 'key',
      feature: 'feed',
      success: 204,
      handler: async ({ params, options }) => {
        const slow = { ...options, timeoutMs: refreshTimeoutMs }
        await candidates.refreshFeedBankAccounts(params, slow)
      },
    }),
  ]
}
