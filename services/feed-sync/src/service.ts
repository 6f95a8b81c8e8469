import { accountRemovalActivities } from '@coffer/kit/accounts/account-removal.activities'
import { on } from '@coffer/kit/events/handler'
import { defineService } from '@coffer/kit/service/service'
import { FeedBankAccountService } from '@coffer/proto/feedsync/v1/feed_bank_account'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import {
  FeedBankAccountArchivedSchema,
  FeedBankAccountOpenedSchema,
  LinkCreatedSchema,
  LinkDeletedSchema,
} from '@coffer/proto/ledger/v1/events'
import { changeCandidate, feedBankAccountRoutes } from './candidates/feed-bank-account.rpc.ts'
import {
  activateFeedBankAccount,
  deactivateFeedBankAccount,
} from './candidates/feed-bank-account.ts'
import { settings } from './config.ts'
import { feedLinkActivities, releaseConnection } from './links/feed-link.activities.ts'
import { activateConnection, feedLinkRoutes } from './links/feed-link.rpc.ts'
import { startAnswerReaders } from './provider/answer-pool.client.ts'
import { accountSyncActivities } from './syncs/account-sync.activities.ts'
import { feedSyncActivities } from './syncs/feed-sync.activities.ts'
import { feedSyncHandlers } from './syncs/feed-sync.consumer.ts'
import { feedSyncRoutes } from './syncs/feed-sync.rpc.ts'
import { createSyncLoad } from './syncs/sync-load.service.ts'

/** The feed-sync service: feed links, their candidates and their syncs (docs/syncs.md). */
export const feedSync = defineService({
  name: 'feed-sync',
  schema: 'feed_sync',
  migrations: new URL('../migrations', import.meta.url),
  settings,
  create: (given) => {
    const readers = startAnswerReaders()
    const load = createSyncLoad({ share: given.config.syncShare })
    const deps = { ...given, parse: readers.parse, load }
    return {
      routes: (router) => {
        router.service(FeedLinkService, feedLinkRoutes(deps))
        router.service(FeedBankAccountService, feedBankAccountRoutes(deps))
        router.service(FeedSyncService, feedSyncRoutes(deps))
      },
      handlers: [
        on(LinkCreatedSchema, async ({ accountId, linkId, feedLinkId }) => {
          if (feedLinkId) await activateConnection(deps, { accountId, linkId, feedLinkId })
        }),
        on(LinkDeletedSchema, async ({ accountId, linkId, feedLinkId }) => {
          if (feedLinkId) await releaseConnection(deps, { accountId, linkId, feedLinkId })
        }),
        on(FeedBankAccountOpenedSchema, async (use) => {
          await changeCandidate(deps, use, activateFeedBankAccount)
        }),
        on(FeedBankAccountArchivedSchema, async (use) => {
          await changeCandidate(deps, use, deactivateFeedBankAccount)
        }),
        ...feedSyncHandlers(deps),
      ],
      activities: {
        ...accountRemovalActivities(deps),
        ...accountSyncActivities(deps),
        ...feedLinkActivities(deps),
        ...feedSyncActivities(deps),
      },
      close: async () => {
        await readers[Symbol.asyncDispose]()
      },
    }
  },
})
