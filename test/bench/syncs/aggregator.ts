// npm run bench:aggregator -- [transactions] [links]: measures syncs of aggregator links.
import { runScript } from '@coffer/local/script'
import { linkAggregator } from '../../providers/linked-aggregator.ts'
import { type Plaid, startPlaid } from '../../providers/plaid/plaid.ts'
import { measureSyncs } from './measure-syncs.ts'

await runScript(async (stop) => {
  await using plaid = await startPlaid()
  plaid.users.set('user_good', (item) => void item.addAccount({}))
  return await measureSyncs(stop, {
    settings: settingsOf(plaid),
    table: 'aggregator_sync.aggregator_links',
    dueWorkflow: 'startDueAggregatorSyncs',
    link: async ({ baseUrl, person, purchases }) => {
      const { linkId, item } = await linkAggregator(person, plaid)
      const bank = item.bank(item.accounts()[0]?.account_id ?? '')
      for (const { description, ...one } of purchases) {
        bank.post({ ...one, name: description, description })
      }
      plaid.webhooks.origin = baseUrl
      const announce = () => plaid.webhooks.create(item, 'SYNC_UPDATES_AVAILABLE')
      return { linkId, requestSync: () => plaid.webhooks.send(announce()) }
    },
  })
})

function settingsOf({ url, clientId, secret }: Plaid): Record<string, string> {
  return {
    COFFER_AGGREGATOR_ENABLED: 'true',
    COFFER_AGGREGATOR_CLIENT_ID: clientId,
    COFFER_AGGREGATOR_CLIENT_SECRET: secret,
    COFFER_AGGREGATOR_URL: url,
    // With webhooks a new link is not synced before the first one, or ten minutes.
    COFFER_AGGREGATOR_WEBHOOKS_ENABLED: 'true',
    COFFER_AGGREGATOR_WEBHOOKS_DOMAIN: 'coffer.example',
    // Plaid's limit of 50 pages of 500 transactions would end the first sync of 50,000.
    COFFER_AGGREGATOR_ITEM_CALLS_PER_MINUTE: '10000',
  }
}
