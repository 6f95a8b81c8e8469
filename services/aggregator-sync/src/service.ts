import { accountRemovalActivities } from '@coffer/kit/accounts/account-removal.activities'
import { defineService } from '@coffer/kit/service/service'
import { requireAggregatorSettings, settings } from './config.ts'
import { connectionActivities } from './connection.activities.ts'

/** Connections to the bank data aggregator. The service has Temporal activities only, no RPCs. */
export const aggregatorSync = defineService({
  name: 'aggregator-sync',
  schema: 'aggregator_sync',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  hidden: [
    'aggregator_links.item_id',
    'aggregator_links.webhook_url',
    'aggregator_links.chosen_accounts',
    'aggregator_links.cursor',
    'aggregator_links.page_cursor',
    'item_calls.holder',
  ],
  create: (deps) => {
    requireAggregatorSettings(deps.config)
    return {
      routes: () => undefined,
      handlers: [],
      activities: {
        ...accountRemovalActivities(deps),
        ...connectionActivities(deps),
      },
      schedules: [],
    }
  },
})
