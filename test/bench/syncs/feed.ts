// npm run bench:feed -- [transactions] [links]: measures syncs of feed links.
import { runScript } from '@coffer/local/script'
import { linkFeed } from '../../providers/linked-feed.ts'
import { feedAccount, type LunchFlow, startLunchFlow } from '../../providers/lunch-flow.ts'
import { measureSyncs } from './measure-syncs.ts'
import type { Purchase } from './synced-provider.ts'

await runScript(async (stop) => {
  await using provider = await startLunchFlow()
  provider.accounts.splice(0)
  return await measureSyncs(stop, {
    settings: { COFFER_FEED_ALLOWED_URLS: provider.url },
    table: 'feed_sync.feed_links',
    dueWorkflow: 'startDueFeedSyncs',
    link: async ({ person, purchases }) => {
      const { linkId } = await linkFeed(person, provider, requireAccount(provider, purchases))
      return { linkId, requestSync: () => person.post('/feed/link/sync', { linkId }) }
    },
  })
})

/** Adds a bank account with these purchases unless there is one; returns its ID. */
function requireAccount(provider: LunchFlow, purchases: readonly Purchase[]): string {
  const feedId = `with-${purchases.length}`
  if (!provider.accounts.some(({ id }) => id === feedId)) {
    provider.accounts.push(feedAccount(feedId))
    const bank = provider.bank(feedId)
    for (const one of purchases) bank.post({ ...one, amount: `-${one.amount}` })
  }
  return feedId
}
