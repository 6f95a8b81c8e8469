import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { sweepActivities } from './sweep.activities.ts'

const activities = activitiesOf<ReturnType<typeof sweepActivities>>('ledger', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Runs all sweeps, page by page; scheduled every ten minutes (docs/events.md#sweeps). */
export async function sweepLedger(place?: Place): Promise<void> {
  const steps = [
    activities.restartImports,
    activities.restartPreviews,
    activities.restartCleanUps,
    activities.expireFiles,
    activities.removeLeftovers,
  ]
  await runSteps(
    steps.map((next) => paged<string>('', next)),
    place,
  )
}
