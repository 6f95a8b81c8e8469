import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { sweepActivities } from './sweep.activities.ts'

const { restartMails, removeExpired, removeUnverified, tellOfBilling } = activitiesOf<
  ReturnType<typeof sweepActivities>
>('identity', {
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
})

/** Restarts lost mails, deletes expired rows and unverified accounts; runs every ten minutes. */
export async function sweepIdentity(): Promise<void> {
  let after: string | null = ''
  while (after !== null) after = await restartMails(after)
  // Each call removes a bounded number of rows, and returns true when no expired row is left.
  let isRemoved = false
  while (!isRemoved) isRemoved = await removeExpired()
  // Each call emits the settings of one page of accounts, and returns true after the last page.
  let isEmitted = false
  while (!isEmitted) isEmitted = await tellOfBilling()
  await removeUnverified()
}
