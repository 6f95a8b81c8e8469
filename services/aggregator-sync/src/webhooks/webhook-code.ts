import type { Statement } from '../connections/link-status.ts'
import type { Webhook } from './webhook.ts'

/** The effect of a webhook on the link of its item. */
export interface Effect {
  statement: Statement | null
  requestsSync: boolean
}

type Action = (webhook: Webhook, asOf: Date) => Effect

const nothing: Action = () => ({ statement: null, requestsSync: false })
const sync: Action = () => ({ statement: null, requestsSync: true })
const expiring: Action = ({ endsAt: at }, asOf) => ({
  statement: { kind: 'expiring', at, asOf },
  requestsSync: false,
})
const revoked: Action = ({ errorCode: code }, asOf) => ({
  statement: { kind: 'revoked', code, asOf },
  requestsSync: false,
})

/** The known webhooks (docs/banks/webhooks.md#codes), by type and code. */
const actions = new Map<string, Action>([
  ['TRANSACTIONS SYNC_UPDATES_AVAILABLE', sync],
  ['TRANSACTIONS INITIAL_UPDATE', sync],
  ['TRANSACTIONS HISTORICAL_UPDATE', sync],
  // Ignored, because SYNC_UPDATES_AVAILABLE arrives together with each of them.
  ['TRANSACTIONS DEFAULT_UPDATE', nothing],
  ['TRANSACTIONS TRANSACTIONS_REMOVED', nothing],
  ['TRANSACTIONS RECURRING_TRANSACTIONS_UPDATE', nothing],
  [
    'ITEM ERROR',
    ({ errorCode: code }, asOf) => ({
      statement: { kind: 'error', code, asOf },
      requestsSync: false,
    }),
  ],
  [
    'ITEM LOGIN_REPAIRED',
    (_webhook, asOf) => ({ statement: { kind: 'repaired', asOf }, requestsSync: true }),
  ],
  ['ITEM PENDING_EXPIRATION', expiring],
  ['ITEM PENDING_DISCONNECT', expiring],
  ['ITEM USER_PERMISSION_REVOKED', revoked],
  // Revokes one account of several: the sync makes it inactive, and checks whether the item still
  // works.
  [
    'ITEM USER_ACCOUNT_REVOKED',
    (webhook, asOf) =>
      webhook.providerAccountId === '' ? revoked(webhook, asOf) : sync(webhook, asOf),
  ],
  ['ITEM WEBHOOK_UPDATE_ACKNOWLEDGED', sync],
  [
    'ITEM NEW_ACCOUNTS_AVAILABLE',
    (_webhook, asOf) => ({ statement: { kind: 'accounts-available', asOf }, requestsSync: false }),
  ],
])

/** Returns the effect of a webhook that was signed at `asOf`; null for an unknown type or code. */
export function effectOf(webhook: Webhook, asOf: Date): Effect | null {
  return actions.get(nameOf(webhook))?.(webhook, asOf) ?? null
}

/** Returns type and code of a known webhook, else `other`, to bound the number of metric labels. */
export function labelOf(webhook: Webhook): string {
  const name = nameOf(webhook)
  return actions.has(name) ? name.replace(' ', '.') : 'other'
}

function nameOf({ type, code }: Webhook): string {
  return `${type} ${code}`
}
