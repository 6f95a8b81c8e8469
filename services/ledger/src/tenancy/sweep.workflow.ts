import { proxyActivities } from '@temporalio/workflow'
import type { sweepActivities } from './sweep.activities.ts'

const activities = proxyActivities<ReturnType<typeof sweepActivities>>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Goes through what is unfinished in the tables; runs every ten minutes. */
export async function sweepLedger(): Promise<void> {
  for (const step of [
    activities.restartImports,
    activities.restartPreviews,
    activities.restartCleanUps,
    activities.expireFiles,
    activities.removeLeftovers,
  ]) {
    let after: string | null = ''
    while (after !== null) {
      after = await step(after)
    }
  }
}
