import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { sleep } from '@temporalio/workflow'
import type { AdvancedPage, advanceActivities } from './advance.activities.ts'

const { advancePage } = activitiesOf<ReturnType<typeof advanceActivities>>('budgeting', {
  startToCloseTimeout: '10 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 5 },
})

const roundsMax = 3

/**
 * Books what is due in all bank accounts, page by page (docs/hourly-job.md). After failures all
 * pages are repeated a minute later, up to two times. `now` is RFC 3339; null: each page reads the
 * clock.
 */
export async function advance(now: string | null = null): Promise<void> {
  for (let round = 1; round <= roundsMax; round += 1) {
    let failed = 0
    let page: AdvancedPage = { next: null, failed: 0 }
    do {
      page = await advancePage({ now, after: page.next })
      failed += page.failed
    } while (page.next !== null)
    if (failed === 0) return
    await sleep('1 minute')
  }
}
