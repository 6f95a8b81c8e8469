import { type Handler, isFirstDelivery, on } from '@coffer/kit/events/handler'
import { WebhookSwitchedOffSchema } from '@coffer/proto/notices/v1/events'
import type { IdentityDeps } from '../deps.ts'
import { findOwner } from './mail.sql.ts'
import { notifyOwner } from './mail-request.service.ts'

/**
 * Returns the handler of webhooks that were switched off: it queues a mail to the owner of the
 * account (docs/changes/own-webhooks.md#failures).
 */
export function webhookMailHandler(
  deps: Pick<IdentityDeps, 'config' | 'clock' | 'database'>,
): Handler {
  return on(WebhookSwitchedOffSchema, ({ accountId, host: webhookHost, reason }, delivery) =>
    deps.database.transaction(async (tx) => {
      if (!(await isFirstDelivery(tx, delivery))) return
      const owner = await findOwner(tx, accountId)
      if (!owner) return
      const kind = reason === 'gone' ? 'webhook-gone' : 'webhook-failing'
      await notifyOwner(deps, tx, { kind, email: owner.email, webhookHost })
    }),
  )
}
