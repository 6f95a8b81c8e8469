import { faultCodeOf, linkStatusAfter } from '../provider/plaid-fault.ts'
import type { AggregatorLink } from './aggregator-link.ts'

/** A statement of the aggregator about an item, true at the instant `asOf`. */
export type Statement = { asOf: Date } & (
  | { kind: 'error' | 'revoked'; code: string | null }
  /** The user signed in again. */
  | { kind: 'repaired' }
  /** The consent ends. */
  | { kind: 'expiring'; at: Date | null }
  | { kind: 'accounts-available' }
  /** The result of a call that reads the accounts of the item. */
  | { kind: 'read'; errorCode: string | null; consentExpiresAt: Date | null }
)

type Status = AggregatorLink['status']

/**
 * Returns a link after a statement (docs/banks/aggregator.md#status). Unchanged if a later
 * statement was applied, or the link is being created or has ended.
 */
export function applyStatement<Link extends AggregatorLink>(
  link: Link,
  statement: Statement,
  now: Date,
): Link {
  if (link.status === 'creating' || link.status === 'deactivated') return link
  if (statement.kind === 'accounts-available') {
    return { ...link, newAccountsAvailable: true, updatedAt: now }
  }
  if (isOlder(statement, link)) return link
  return { ...link, ...statedFields(link, statement), statusAsOf: statement.asOf, updatedAt: now }
}

/** Webhooks state whole seconds: within the same second, the statement that arrives last counts. */
function isOlder({ asOf }: Statement, { statusAsOf }: AggregatorLink): boolean {
  return statusAsOf !== null && secondOf(asOf) < secondOf(statusAsOf)
}

function secondOf(instant: Date): number {
  return Math.floor(instant.getTime() / 1_000)
}

function statedFields(
  link: AggregatorLink,
  statement: Exclude<Statement, { kind: 'accounts-available' }>,
): Pick<AggregatorLink, 'status' | 'errorCode' | 'expirationDate'> {
  const { expirationDate } = link
  switch (statement.kind) {
    case 'error':
    case 'revoked':
      return { status: statement.kind, errorCode: statement.code, expirationDate }
    case 'repaired':
      return { status: 'setup', errorCode: null, expirationDate: null }
    case 'expiring':
      return {
        status: 'pending_expiration',
        errorCode: null,
        expirationDate: statement.at ?? expirationDate,
      }
    case 'read':
      return readFields(link, statement)
  }
}

function readFields(
  link: AggregatorLink,
  { errorCode, consentExpiresAt }: Extract<Statement, { kind: 'read' }>,
): Pick<AggregatorLink, 'status' | 'errorCode' | 'expirationDate'> {
  const expirationDate = consentExpiresAt ?? link.expirationDate
  const failed = errorCode === null ? null : linkStatusAfter(faultCodeOf(errorCode))
  if (failed) return { status: failed, errorCode, expirationDate }
  const isRenewed =
    consentExpiresAt !== null &&
    link.expirationDate !== null &&
    consentExpiresAt > link.expirationDate
  return { status: workingStatusOf(link.status, isRenewed), errorCode: null, expirationDate }
}

/**
 * Returns the status of a working item. A pending link stays pending until its first complete sync.
 */
function workingStatusOf(status: Status, isRenewed: boolean): Status {
  if (status === 'pending_expiration') return isRenewed ? 'setup' : status
  return status === 'pending' ? status : 'setup'
}
