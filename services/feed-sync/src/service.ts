import {
  accountRemovalActivities,
  askIdentity,
} from '@coffer/kit/accounts/account-removal.activities'
import { on } from '@coffer/kit/events/handler'
import { defineService } from '@coffer/kit/service/service'
import type { WorkflowSchedule } from '@coffer/kit/workflows/workflows'
import { FeedBankAccountService } from '@coffer/proto/feedsync/v1/feed_bank_account'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import {
  FeedBankAccountArchivedSchema,
  FeedBankAccountOpenedSchema,
  LinkCreatedSchema,
  LinkDeletedSchema,
} from '@coffer/proto/ledger/v1/events'
import { createSyncLoad } from '@coffer/sync-kit/syncs/sync-load.service'
import { syncSweeps } from '@coffer/sync-kit/syncs/sync-sweep.activities'
import { Code, ConnectError } from '@connectrpc/connect'
import { changeCandidate } from './candidates/candidate-change.service.ts'
import { feedBankAccountRoutes } from './candidates/feed-bank-account.rpc.ts'
import {
  activateFeedBankAccount,
  deactivateFeedBankAccount,
} from './candidates/feed-bank-account.ts'
import { settings } from './config.ts'
import { cleanUpActivities } from './life/clean-up.activities.ts'
import { feedLinkActivities, releaseConnection } from './links/feed-link.activities.ts'
import { feedLinkRoutes } from './links/feed-link.rpc.ts'
import { activateConnection } from './links/feed-link-activation.service.ts'
import { startAnswerReaders } from './provider/answer-pool.client.ts'
import { accountSyncActivities } from './syncs/account-sync.activities.ts'
import { feedRequests } from './syncs/feed-requests.service.ts'
import { feedSyncActivities } from './syncs/feed-sync.activities.ts'
import { feedSyncHandlers } from './syncs/feed-sync.consumer.ts'
import { feedSyncRoutes } from './syncs/feed-sync.rpc.ts'
import { feedSyncs } from './syncs/feed-sync.sql.ts'

const schedules: WorkflowSchedule[] = [
  { args: [], id: 'feed-sync-due', type: 'startDueFeedSyncs', cron: '*/10 * * * *' },
  { args: [], id: 'feed-link-clean-up', type: 'cleanUpFeedLinks', cron: '15 1 * * *' },
]

/** The feed-sync service: feed links, their candidates and their syncs (docs/banks/feed.md). */
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
          if (!feedLinkId) return
          // An abandoned connection may have been removed meanwhile: then there is nothing to do.
          await activateConnection(deps, { accountId, linkId, feedLinkId }).catch(ignoreNotFound)
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
        ...accountRemovalActivities(deps.database, askIdentity(deps)),
        ...accountSyncActivities(deps),
        ...cleanUpActivities(deps),
        ...feedLinkActivities(deps),
        ...feedSyncActivities(deps),
        ...syncSweeps(deps, {
          store: feedSyncs,
          requests: feedRequests,
          isEnabled: deps.config.feedEnabled,
        }),
      },
      schedules: deps.config.feedEnabled ? schedules : [],
      formerSchedules: deps.config.feedEnabled ? [] : schedules.map(({ id }) => id),
      close: async () => {
        await readers[Symbol.asyncDispose]()
      },
    }
  },
})

/** Ignores notFound; rethrows other errors. */
function ignoreNotFound(error: unknown): void {
  if (ConnectError.from(error).code !== Code.NotFound) throw error
}
