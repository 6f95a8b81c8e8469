import type {
  DefaultUpdateWebhook,
  HistoricalUpdateWebhook,
  InitialUpdateWebhook,
  ItemErrorWebhook,
  ItemLoginRepairedWebhook,
  NewAccountsAvailableWebhook,
  PendingDisconnectWebhook,
  PendingExpirationWebhook,
  RecurringTransactionsUpdateWebhook,
  SyncUpdatesAvailableWebhook,
  TransactionsRemovedWebhook,
  UserAccountRevokedWebhook,
  UserPermissionRevokedWebhook,
  WebhookUpdateAcknowledgedWebhook,
} from 'plaid'
import { shuffled } from '../shuffled.ts'
import { type ErrorCode, errorBody, errorStatus } from './errors.ts'
import type { PlaidItem } from './item.ts'
import type { Plain } from './plain.ts'
import type { Forged, WebhookKeys } from './webhook-keys.ts'

/** Details of webhooks; each code reads those that it has. */
export interface WebhookDetails {
  /** Error of the code ERROR, by default ITEM_LOGIN_REQUIRED. */
  error?: ErrorCode
  /** Bank account of the code USER_ACCOUNT_REVOKED. */
  accountId?: string
  /** End of the consent, or of the connection. */
  at?: Date
  /** Transactions of the code TRANSACTIONS_REMOVED. */
  removed?: string[]
  /** Number of transactions of the codes of updates. */
  count?: number
}

/** A webhook that was not sent yet. */
export interface PlaidWebhook {
  url: string
  body: string
  /** Value of the header `Plaid-Verification`. */
  verification: string
}

/** The webhooks of the simulated Plaid. It sends none unless a test tells it to. */
export interface Webhooks {
  keys: WebhookKeys
  /** Origin that replaces the one of each URL, such as `http://127.0.0.1:4000`; null: none. */
  origin: string | null
  /** Returns a webhook of an item, signed. @throws {Error} if the item has no URL of webhooks */
  create: (item: PlaidItem, code: WebhookCode, details?: WebhookDetails) => PlaidWebhook
  /** Returns a webhook with any body, signed. */
  sign: (item: PlaidItem, body: string, forged?: Forged) => PlaidWebhook
  /** Sends a webhook. Returns the status of the answer. */
  send: (webhook: PlaidWebhook) => Promise<number>
  /** Sends webhooks one by one, in an order that the seed determines. Returns the statuses. */
  sendReordered: (webhooks: readonly PlaidWebhook[], seed: number) => Promise<number[]>
}

const sendingMs = 10_000
const environment = 'sandbox'

/** Creates the sender of webhooks. */
export function createWebhooks(keys: WebhookKeys, now: () => Date): Webhooks {
  const sign = ({ itemId, webhook: url }: PlaidItem, body: string, forged?: Forged) => {
    if (url === null) throw new Error(`the item ${itemId} has no URL of webhooks`)
    return { url, body, verification: keys.sign(body, forged) }
  }
  const send = async ({ url, body, verification }: PlaidWebhook): Promise<number> => {
    const { pathname, origin } = new URL(url)
    const answer = await fetch((webhooks.origin ?? origin) + pathname, {
      method: 'POST',
      headers: { 'content-type': 'application/json', 'plaid-verification': verification },
      body,
      signal: AbortSignal.timeout(sendingMs),
    })
    await answer.arrayBuffer()
    return answer.status
  }
  const webhooks: Webhooks = {
    keys,
    origin: null,
    create: (item, code, details = {}) => {
      const fields = codes[code](item, { at: now(), ...details })
      // Plaid indents bodies by two spaces; the hash is of these bytes.
      return sign(item, JSON.stringify(fields, null, 2))
    },
    sign,
    send,
    sendReordered: async (all, seed) => {
      const statuses: number[] = []
      for (const one of shuffled(all, seed)) statuses.push(await send(one))
      return statuses
    },
  }
  return webhooks
}

type Details = WebhookDetails & { at: Date }

/** Bodies of webhooks by code, without those of other products. */
const codes = {
  SYNC_UPDATES_AVAILABLE: (item: PlaidItem): Plain<SyncUpdatesAvailableWebhook> => ({
    ...about('TRANSACTIONS', 'SYNC_UPDATES_AVAILABLE', item),
    initial_update_complete: item.readiness !== 'NOT_READY',
    historical_update_complete: item.readiness === 'HISTORICAL_UPDATE_COMPLETE',
  }),
  INITIAL_UPDATE: (item: PlaidItem, of: Details): Plain<InitialUpdateWebhook> =>
    update('INITIAL_UPDATE', item, of),
  HISTORICAL_UPDATE: (item: PlaidItem, of: Details): Plain<HistoricalUpdateWebhook> =>
    update('HISTORICAL_UPDATE', item, of),
  DEFAULT_UPDATE: (item: PlaidItem, of: Details): Plain<DefaultUpdateWebhook> =>
    update('DEFAULT_UPDATE', item, of),
  TRANSACTIONS_REMOVED: (item: PlaidItem, of: Details): Plain<TransactionsRemovedWebhook> => ({
    ...about('TRANSACTIONS', 'TRANSACTIONS_REMOVED', item),
    error: null,
    removed_transactions: of.removed ?? [],
  }),
  RECURRING_TRANSACTIONS_UPDATE: (
    item: PlaidItem,
    of: Details,
  ): Plain<RecurringTransactionsUpdateWebhook> => ({
    ...about('TRANSACTIONS', 'RECURRING_TRANSACTIONS_UPDATE', item),
    account_ids: of.accountId ? [of.accountId] : [],
  }),
  ERROR: (item: PlaidItem, of: Details): Plain<ItemErrorWebhook> => ({
    ...about('ITEM', 'ERROR', item),
    error: errorOf(of.error ?? 'ITEM_LOGIN_REQUIRED'),
  }),
  LOGIN_REPAIRED: (item: PlaidItem): Plain<ItemLoginRepairedWebhook> =>
    about('ITEM', 'LOGIN_REPAIRED', item),
  PENDING_EXPIRATION: (item: PlaidItem, of: Details): Plain<PendingExpirationWebhook> => ({
    ...about('ITEM', 'PENDING_EXPIRATION', item),
    consent_expiration_time: of.at.toISOString(),
  }),
  PENDING_DISCONNECT: (item: PlaidItem, of: Details): Plain<PendingDisconnectWebhook> => ({
    ...about('ITEM', 'PENDING_DISCONNECT', item),
    reason: 'INSTITUTION_MIGRATION',
    disconnect_time: of.at.toISOString(),
  }),
  USER_PERMISSION_REVOKED: (item: PlaidItem): Plain<UserPermissionRevokedWebhook> => ({
    ...about('ITEM', 'USER_PERMISSION_REVOKED', item),
    error: errorOf('USER_PERMISSION_REVOKED'),
  }),
  USER_ACCOUNT_REVOKED: (item: PlaidItem, of: Details): Plain<UserAccountRevokedWebhook> => ({
    ...about('ITEM', 'USER_ACCOUNT_REVOKED', item),
    account_id: of.accountId ?? '',
  }),
  WEBHOOK_UPDATE_ACKNOWLEDGED: (item: PlaidItem): Plain<WebhookUpdateAcknowledgedWebhook> => ({
    ...about('ITEM', 'WEBHOOK_UPDATE_ACKNOWLEDGED', item),
    new_webhook_url: item.webhook ?? '',
    error: null,
  }),
  NEW_ACCOUNTS_AVAILABLE: (item: PlaidItem): Plain<NewAccountsAvailableWebhook> => ({
    ...about('ITEM', 'NEW_ACCOUNTS_AVAILABLE', item),
    error: null,
  }),
}

/** Code of a webhook that the simulated Plaid can send. */
export type WebhookCode = keyof typeof codes

/** Every code of a webhook. */
export const webhookCodes = Object.keys(codes) as WebhookCode[]

function about(type: 'ITEM' | 'TRANSACTIONS', code: string, { itemId }: PlaidItem) {
  return { webhook_type: type, webhook_code: code, item_id: itemId, environment } as const
}

function update(code: string, item: PlaidItem, { count = 0 }: Details) {
  return { ...about('TRANSACTIONS', code, item), error: null, new_transactions: count }
}

/** Returns an error as webhooks have it: with the status of HTTP. */
function errorOf(code: ErrorCode) {
  return { ...errorBody(code), status: errorStatus(code) }
}
