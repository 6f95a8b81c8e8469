import type { AggregatorLink } from '../links/aggregator-link.ts'
import { faultCodeOf, linkStatusAfter } from '../provider/plaid-fault.ts'

/** A statement of the aggregator about an item, true at the instant `asOf`. */
export type Statement = { asOf: Date } & (
  | { kind: 'error' | 'revoked'; code: string }
  /** The answer to a call for the accounts of the item. */
  | { kind: 'read'; errorCode: string | null; consentExpiresAt: Date | null }
)

/**
 * Returns a link after a statement (docs/banks/aggregator.md#status). Unchanged if a later
 * statement was applied, or the link is being created or has ended.
 */
export function applyStatement<Link extends AggregatorLink>(
  link: Link,
  statement: Statement,
  now: Date,
): Link {
  const isOlder = link.statusAsOf !== null && statement.asOf < link.statusAsOf
  if (isOlder || link.status === 'creating' || link.status === 'deactivated') return link
  const stated = { ...link, statusAsOf: statement.asOf, updatedAt: now }
  if (statement.kind !== 'read') {
    return { ...stated, status: statement.kind, errorCode: statement.code }
  }
  const { errorCode, consentExpiresAt } = statement
  const expirationDate = consentExpiresAt ?? link.expirationDate
  const failed = errorCode === null ? null : linkStatusAfter(faultCodeOf(errorCode))
  if (failed) return { ...stated, expirationDate, status: failed, errorCode }
  const isRenewed =
    consentExpiresAt !== null && link.expirationDate !== null
      ? consentExpiresAt > link.expirationDate
      : false
  const status = repairedStatusOf(link.status, isRenewed)
  return { ...stated, expirationDate, status, errorCode: null }
}

/** Returns the status of an item that works. A pending link waits for its first complete sync. */
function repairedStatusOf(
  status: AggregatorLink['status'],
  isRenewed: boolean,
): AggregatorLink['status'] {
  if (status === 'pending_expiration') return isRenewed ? 'setup' : status
  return status === 'pending' ? status : 'setup'
}
