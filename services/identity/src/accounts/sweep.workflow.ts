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
  while (!(await removeExpired())) {
    // Repeated until no expired row is left: each call removes a bounded number of rows.
  }
  while (!(await tellOfBilling())) {
    // Repeated for all pages: each call emits the settings of a page of accounts.
  }
  await removeUnverified()
}
