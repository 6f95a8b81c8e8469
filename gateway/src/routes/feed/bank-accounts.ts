import {
  FeedBankAccountSchema,
  FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import type { RouteDeps } from '../../deps.ts'
import { type Route, route } from '../../http/route.ts'

// Timeout in ms of a refresh by feed-sync, whose own timeout for the provider is 15 s.
const refreshTimeoutMs = 20_000

/** Returns the routes of bank accounts that a feed link offers (docs/banks/feed.md#candidates). */
export function feedBankAccountRoutes({ mesh }: RouteDeps): Route[] {
  const candidates = mesh.client('feed-sync', FeedBankAccountService)
  return [
    route({
      id: 'listFeedBankAccounts',
      tag: 'Feed',
      method: 'GET',
      path: '/api/feed/link/:feedLinkId/bank_accounts',
      summary: 'Bank accounts that a feed connection offers, used or not, newest first',
      description:
        'Reads what the last refresh stored; the provider is not contacted ' +
        '(docs/banks/feed.md#refresh).',
      since: '0.1.0',
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
      description:
        'Takes up to 20 s. Known candidates are not changed. A failure of the provider is 500 ' +
        'with a text (docs/banks/feed.md#refresh).',
      since: '0.1.0',
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
