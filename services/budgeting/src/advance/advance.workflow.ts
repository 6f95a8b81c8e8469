import { isHistoryLong } from '@coffer/kit/workflows/history'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { ApplicationFailure, continueAsNew, patched, sleep } from '@temporalio/workflow'
import type { AdvancedPage, advanceActivities } from './advance.activities.ts'

const { advancePage } = activitiesOf<ReturnType<typeof advanceActivities>>('budgeting', {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 5 },
})

const roundsMax = 3

type Place = { round: number; page: AdvancedPage; failed: number }

const start: Place = { round: 1, page: { next: null, failed: 0 }, failed: 0 }

/**
 * Books what is due in all bank accounts, page by page (docs/hourly-job.md). After failures all
 * pages are repeated a minute later, up to two times; then the workflow fails. `now` is RFC 3339;
 * null: each page reads the clock. Continue-as-new: when the history is long, a new run continues
 * from `place`.
 */
export async function advance(now: string | null = null, place = start): Promise<void> {
  let { round, page, failed } = place
  for (; round <= roundsMax; round += 1) {
    do {
      page = await advancePage({ now, after: page.next })
      failed += page.failed
      if (isHistoryLong() && page.next !== null) {
        await continueAsNew<typeof advance>(now, { round, page, failed })
      }
    } while (page.next !== null)
    if (failed === 0) return
    // until 0.5: a run that a release before 0.4 began completes after its last round.
    if (round === roundsMax && patched('failed-rounds')) {
      throw ApplicationFailure.nonRetryable(`bank accounts not advanced: ${failed}`)
    }
    failed = 0
    await sleep('1 minute')
  }
}
