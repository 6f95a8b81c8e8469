import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import type { mailActivities } from './mail.activities.ts'

const { deliverMail } = activitiesOf<ReturnType<typeof mailActivities>>('identity', {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
  scheduleToCloseTimeout: '1 day',
  retry: { initialInterval: '2 seconds', backoffCoefficient: 2, maximumInterval: '10 minutes' },
})

/** Sends one mail, as the workflow `mail/<mailId>`; retries failures for a day. */
export async function sendMail(mailId: string): Promise<void> {
  await deliverMail(mailId)
}
