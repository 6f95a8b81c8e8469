import { isHistoryLong } from '@coffer/kit/workflows/history'
import { runPerStart } from '@coffer/kit/workflows/repeated-run'
import { isStepFailure, syncActivities } from '@coffer/sync-kit/workflows/sync-workflow'
import { continueAsNew, sleep } from '@temporalio/workflow'
import type { accountSyncActivities } from './account-sync.activities.ts'
import type { feedSyncActivities } from './feed-sync.activities.ts'
import type { FeedSyncKey } from './feed-sync.ts'
import { type FeedSyncSteps, type Progress, runFeedSync } from './feed-sync-run.ts'

type Activities = ReturnType<typeof feedSyncActivities> & ReturnType<typeof accountSyncActivities>

/**
 * Syncs one feed link (docs/banks/feed.md#syncs). The workflow ID `feed-sync/<linkId>` prevents
 * concurrent syncs of a link. A start during a sync runs another sync afterwards, if there is work.
 * Continue-as-new between two bank accounts or two syncs, when the history is long: `former`.
 */
export async function syncFeedLink(key: FeedSyncKey, former?: Former): Promise<void> {
  const steps = createSteps()
  const again = (progress: Progress | null) => continueAsNew<typeof syncFeedLink>(key, { progress })
  const boundHistory = async (progress: Progress) => {
    if (isHistoryLong()) await again(progress)
  }
  if (former?.progress) {
    const { progress } = former
    await runFeedSync(steps, progress.run, sleep, { from: progress, boundHistory })
  }
  await runPerStart(
    (runId) => runFeedSync(steps, { ...key, runId }, sleep, { from: null, boundHistory }),
    { isContinued: former !== undefined, again: () => again(null) },
  )
}

/** Progress of the sync that the previous run has left unfinished; null if it had none. */
type Former = { progress: Progress | null }

/**
 * Returns the activities as steps. Each one is written out, because the proxy of activities has no
 * keys that could be copied.
 */
function createSteps(): FeedSyncSteps {
  const { states, work } = syncActivities<Activities>('feed-sync', { workTimeout: '10 minutes' })
  return {
    beginFeedSync: (run) => states.beginFeedSync(run),
    syncFeedAccounts: (run) => work.syncFeedAccounts(run),
    importFeedPage: (page) => work.importFeedPage(page),
    removeMissing: (of) => work.removeMissing(of),
    syncFeedBalance: (of) => work.syncFeedBalance(of),
    endFeedAccount: (of) => states.endFeedAccount(of),
    endFeedSync: (of) => states.endFeedSync(of),
    isStepFailure,
  }
}
