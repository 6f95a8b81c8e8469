import { timestampDate } from '@bufbuild/protobuf/wkt'
import { type Handler, isFirstDelivery, on } from '@coffer/kit/events/handler'
import { AggregatorLinkNeedsUserSchema } from '@coffer/proto/aggregatorsync/v1/events'
import type { IdentityDeps } from '../deps.ts'
import { findOwner } from './mail.sql.ts'
import { notifyOwner } from './mail-request.service.ts'

/**
 * Returns the handler of aggregator links for which the user has to act: it queues a mail to the
 * owner of the account (docs/banks/webhooks.md#mails).
 */
export function linkMailHandler(
  deps: Pick<IdentityDeps, 'config' | 'clock' | 'database'>,
): Handler {
  return on(AggregatorLinkNeedsUserSchema, (event, delivery) =>
    deps.database.transaction(async (tx) => {
      if (!(await isFirstDelivery(tx, delivery))) return
      const { accountId, institutionName, at } = event
      const owner = await findOwner(tx, accountId)
      if (!owner) return
      const { email, timezone } = owner
      const kind = event.reason === 'expiring' ? 'link-expiring' : 'link-broken'
      const consentEndsAt = at ? timestampDate(at) : null
      const link = { institutionName, consentEndsAt, timezone }
      await notifyOwner(deps, tx, { kind, email, link })
    }),
  )
}
