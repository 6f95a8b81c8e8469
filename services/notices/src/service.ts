import {
  accountRemovalActivities,
  askIdentity,
} from '@coffer/kit/accounts/account-removal.activities'
import { defineService } from '@coffer/kit/service/service'
import { FeedService } from '@coffer/proto/notices/v1/feed'
import { settings } from './config.ts'
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
    return {
      routes: (router) => {
        router.service(FeedService, feedRoutes(deps))
      },
      handlers: feedHandlers(deps),
      activities: accountRemovalActivities(deps.database, askIdentity(deps)),
      close: async () => {
        await sweep[Symbol.asyncDispose]()
      },
    }
  },
})
