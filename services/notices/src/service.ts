import {
  accountRemovalActivities,
  askIdentity,
} from '@coffer/kit/accounts/account-removal.activities'
import { defineService } from '@coffer/kit/service/service'
import { DeliveryService } from '@coffer/proto/notices/v1/delivery'
import { FeedService } from '@coffer/proto/notices/v1/feed'
import { WebhookService } from '@coffer/proto/notices/v1/webhook'
import { settings } from './config.ts'
import { deliveryRoutes } from './deliveries/delivery.rpc.ts'
import { createDispatcher } from './deliveries/dispatcher.service.ts'
import { webhookActivities } from './deliveries/webhook.activities.ts'
import { startWebhookMetrics } from './deliveries/webhook-metrics.service.ts'
import { startWebhookSweeps } from './deliveries/webhook-sweep.service.ts'
import { webhookRoutes } from './endpoints/webhook.rpc.ts'
import { feedHandlers } from './feed/feed.consumer.ts'
import { feedRoutes } from './feed/feed.rpc.ts'
import { startFeedSweep } from './feed/feed-sweep.service.ts'

/** The notices service: the change feed of each account (docs/api/changes.md). */
export const notices = defineService({
  name: 'notices',
  schema: 'notices',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (deps) => {
    const sweep = startFeedSweep(deps)
    const dispatcher = createDispatcher(deps)
    const metrics = startWebhookMetrics(deps)
    const webhookSweeps = startWebhookSweeps({ ...deps, dispatcher })
    return {
      routes: (router) => {
        router.service(FeedService, feedRoutes(deps))
        router.service(WebhookService, webhookRoutes(deps))
        router.service(DeliveryService, deliveryRoutes({ ...deps, dispatcher }))
      },
      activities: {
        ...accountRemovalActivities(deps.database, askIdentity(deps)),
        ...webhookActivities(deps),
      },
      handlers: feedHandlers({ ...deps, onAppended: dispatcher.wake }),
      close: async () => {
        metrics[Symbol.dispose]()
        await webhookSweeps[Symbol.asyncDispose]()
        await dispatcher[Symbol.asyncDispose]()
        await sweep[Symbol.asyncDispose]()
      },
    }
  },
})
