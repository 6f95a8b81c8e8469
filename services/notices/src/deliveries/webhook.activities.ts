import type { WebhookKey } from '../endpoints/webhook.sql.ts'
import { type RunDeps, runWebhook } from './webhook-run.service.ts'

/** Returns the activity of the workflow `retryWebhook`. */
export function webhookActivities(deps: RunDeps) {
  return {
    /** Serves a webhook; returns the ms until it is due again, null if nothing is pending. */
    serveWebhook: async (key: WebhookKey): Promise<number | null> => {
      const { dueAt } = await runWebhook(deps, key)
      return dueAt === null ? null : Math.max(0, dueAt.getTime() - deps.clock().getTime())
    },
  }
}
