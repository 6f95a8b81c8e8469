import { saveSubscription } from '@coffer/kit/accounts/subscription.sql'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { FeedSyncRequestedSchema } from '@coffer/proto/feedsync/v1/events'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { findFeedSync } from './feed-sync.sql.ts'
import type { FeedSyncKey } from './feed-sync.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'>

/** Returns the handlers of requested syncs and of identity's events. */
export function feedSyncHandlers({ database, workflows }: Deps): Handler[] {
  return [
    on(FeedSyncRequestedSchema, async (key) => {
      const sync = await findFeedSync(database, key)
      if (sync?.requestedAt) await startFeedSync(workflows, key)
    }),
    on(AccountSettingsChangedSchema, (settings) => saveSubscription(database, settings)),
  ]
}

/** Starts the syncs of a link; if its workflow runs, it looks once more for a request. */
export function startFeedSync(
  workflows: Workflows,
  { accountId, linkId, feedLinkId }: FeedSyncKey,
): Promise<void> {
  const key: FeedSyncKey = { accountId, linkId, feedLinkId }
  return workflows.start({ type: 'syncFeedLink', id: `feed-sync/${linkId}`, args: [key] })
}
