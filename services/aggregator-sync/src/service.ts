import { askIdentity } from '@coffer/kit/accounts/account-removal.activities'
import { defineService } from '@coffer/kit/service/service'
import type { WorkflowSchedule } from '@coffer/kit/workflows/workflows'
import { AggregatorLinkService } from '@coffer/proto/aggregatorsync/v1/aggregator_link'
import { AggregatorSyncService } from '@coffer/proto/aggregatorsync/v1/aggregator_sync'
import { InstitutionService } from '@coffer/proto/aggregatorsync/v1/institution'
import { WebhookService } from '@coffer/proto/aggregatorsync/v1/webhook'
import { createSyncLoad } from '@coffer/sync-kit/syncs/sync-load.service'
import { syncSweeps } from '@coffer/sync-kit/syncs/sync-sweep.activities'
import { aggregatorAddresses, requireAggregatorSettings, settings } from './config.ts'
import { institutionRoutes } from './institutions/institution.rpc.ts'
import { accountRemovalActivities } from './life/account-removal.activities.ts'
import { linkLifeActivities } from './life/link-life.activities.ts'
import { aggregatorLinkRoutes } from './links/aggregator-link.rpc.ts'
import { linkActivities } from './links/link.activities.ts'
import { linkHandlers } from './links/link.consumer.ts'
import { startReleaseMetrics } from './links/release-metrics.service.ts'
import { startAggregator } from './provider/provider.service.ts'
import { aggregatorSyncHandlers } from './syncs/aggregator-sync.consumer.ts'
import { aggregatorSyncRoutes } from './syncs/aggregator-sync.rpc.ts'
import { itemRequests } from './syncs/item-requests.service.ts'
import { itemSyncActivities } from './syncs/item-sync.activities.ts'
import { itemSyncs } from './syncs/item-sync.sql.ts'
import { pageActivities } from './syncs/page.activities.ts'
import { webhookRoutes } from './webhooks/webhook.rpc.ts'

const schedules: WorkflowSchedule[] = [
  { args: [], id: 'aggregator-sync-due', type: 'startDueAggregatorSyncs', cron: '5-59/10 * * * *' },
  { args: [], id: 'aggregator-links', type: 'finishAggregatorLinks', cron: '2-59/10 * * * *' },
  { args: [], id: 'aggregator-link-life', type: 'checkAggregatorLinks', cron: '15 0 * * *' },
]

/** The aggregator-sync service: links over the aggregator, their syncs, and webhooks. */
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
    'aggregator_links.skipped_accounts',
    'aggregator_links.awaited_pending',
    'item_calls.holder',
    'loop_items.provider_transaction_id',
  ],
  create: (given) => {
    const { config } = given
    requireAggregatorSettings(config)
    const aggregator = startAggregator(given, {
      ...config,
      url: config.aggregatorUrl,
      redirectUri: aggregatorAddresses(config).redirectUri,
    })
    const metrics = startReleaseMetrics(given)
    const load = createSyncLoad({ share: config.syncShare })
    const deps = { ...given, load, openAggregator: aggregator.open }
    return {
      routes: (router) => {
        router.service(AggregatorLinkService, aggregatorLinkRoutes(deps))
        router.service(InstitutionService, institutionRoutes(deps))
        router.service(AggregatorSyncService, aggregatorSyncRoutes(deps))
        router.service(WebhookService, webhookRoutes(deps))
      },
      handlers: [...linkHandlers(deps), ...aggregatorSyncHandlers(deps)],
      activities: {
        ...accountRemovalActivities({ ...deps, requireDeletion: askIdentity(given) }),
        ...linkActivities(deps),
        ...linkLifeActivities(deps),
        ...itemSyncActivities(deps),
        ...pageActivities(deps),
        ...syncSweeps(deps, {
          store: itemSyncs,
          requests: itemRequests,
          isEnabled: config.aggregatorEnabled,
        }),
      },
      schedules: config.aggregatorEnabled ? schedules : [],
      formerSchedules: config.aggregatorEnabled ? [] : schedules.map(({ id }) => id),
      close: async () => {
        metrics[Symbol.dispose]()
        await aggregator[Symbol.asyncDispose]()
      },
    }
  },
})
