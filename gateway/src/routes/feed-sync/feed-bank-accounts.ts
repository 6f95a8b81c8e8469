import {
  FeedBankAccountSchema,
  FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import type { RouteDeps } from '../../deps.ts'
import { renderAll } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'

// Longer than the timeout of feed-sync for the provider (15 s).
const refreshTimeoutMs = 20_000

/** Routes of candidates: bank accounts that feed connections offer (docs/syncs.md#candidates). */
export function feedBankAccountRoutes({ mesh }: RouteDeps): Route[] {
  const candidates = mesh.client('feed-sync', FeedBankAccountService)
  return [
    route({
      method: 'GET',
      path: '/api/feed/link/:feedLinkId/bank_accounts',
      summary: 'Bank accounts that a feed connection offers, used or not, newest first',
      auth: 'key',
      feature: 'feed',
      answer: { list: FeedBankAccountSchema },
      handler: async ({ params, options }) => {
        const { feedBankAccounts } = await candidates.listFeedBankAccounts(params, options)
        return renderAll(FeedBankAccountSchema, feedBankAccounts)
      },
    }),
    route({
      method: 'POST',
      path: '/api/feed/link/:feedLinkId/bank_accounts/refresh',
      summary: 'Ask the provider for bank accounts: adds new ones and checks the API key',
      auth: 'key',
      feature: 'feed',
      handler: async ({ params, options, reply }) => {
        const slow = { ...options, timeoutMs: refreshTimeoutMs }
        await candidates.refreshFeedBankAccounts(params, slow)
        reply.code(204)
      },
    }),
  ]
}
