import { type Place, paged, runSteps, untilDone } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { sweepActivities } from './sweep.activities.ts'

const { restartMails, removeExpired, removeUnverified, tellOfBilling } = activitiesOf<
  ReturnType<typeof sweepActivities>
>('identity', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Restarts lost mails, deletes expired rows and unverified accounts; runs every ten minutes. */
export async function sweepIdentity(place?: Place): Promise<void> {
  const steps = [
    paged('', restartMails),
    // Each call removes a bounded number of rows, and returns true when no expired row is left.
    untilDone(removeExpired),
    // Each call emits the settings of one page of accounts, and returns true after the last page.
    untilDone(tellOfBilling),
  ]
  await runSteps(steps, place)
  await removeUnverified()
}
