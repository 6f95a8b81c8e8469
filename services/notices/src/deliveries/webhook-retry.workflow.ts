import { isHistoryLong } from '@coffer/kit/workflows/history'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { condition, continueAsNew, defineSignal, setHandler } from '@temporalio/workflow'
import type { webhookActivities } from './webhook.activities.ts'

const { serveWebhook } = activitiesOf<ReturnType<typeof webhookActivities>>('notices', {
  // Twice the duration of a run, which sends changes for at most half a minute.
  startToCloseTimeout: '1 minute',
  retry: { initialInterval: '1 second', backoffCoefficient: 2, maximumInterval: '5 minutes' },
})

/**
 * Serves a webhook whenever an attempt is due, as the workflow `webhook/<webhookId>`, until nothing
 * is pending. A start of the running workflow ends its pause. Continue-as-new bounds the history.
 */
export async function retryWebhook(key: { accountId: string; webhookId: string }): Promise<void> {
  let starts = 0
  setHandler(defineSignal('trigger'), () => {
    starts += 1
  })
  for (;;) {
    const seen = starts
    const waitMs = await serveWebhook(key)
    if (waitMs === null && starts === seen) return
    if (waitMs !== null) await condition(() => starts > seen, Math.max(waitMs, 1))
    if (isHistoryLong()) await continueAsNew<typeof retryWebhook>(key)
  }
}
