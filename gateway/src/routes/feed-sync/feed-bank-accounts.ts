import {
  FeedBankAccountSchema,
  FeedBankAccountService,
} from '@coffer/proto/feedsync/v1/feed_bank_account'
import { renderedAll } from '../../http/rest.ts'
import { type Route, route } from '../../http/route.ts'
import type { RouteDeps } from '../../http/routes.ts'

// More than feed-sync takes to give the provider up.
const refreshTimeoutMs = 20_000

/** What feed connections offer (spec/interface.md, Feed provider; spec/syncs.md 5.2, 5.3). */
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
        return renderedAll(FeedBankAccountSchema, feedBankAccounts)
      },
    }),
    route({
      method: 'POST',
      path: '/api/feed/link/:feedLinkId/bank_accounts/refresh',
      summary: 'Ask the provider what it offers: adds what is new, and checks the key',
      auth: 'key',
      feature: 'feed',
      handler: async ({ params, options, reply }) => {
        const patient = { ...options, timeoutMs: refreshTimeoutMs }
        await candidates.refreshFeedBankAccounts(params, patient)
        reply.code(204)
      },
    }),
  ]
}
