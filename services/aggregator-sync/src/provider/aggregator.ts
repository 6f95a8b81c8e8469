/** Countries of institutions that the aggregator supports, ISO 3166-1 alpha-2. */
export const countryCodes = [
  'AT',
  'BE',
  'CA',
  'DE',
  'DK',
  'EE',
  'ES',
  'FI',
  'FR',
  'GB',
  'IE',
  'IT',
  'LT',
  'LV',
  'NL',
  'NO',
  'PL',
  'PT',
  'SE',
  'US',
] as const
export type CountryCode = (typeof countryCodes)[number]

/** Deadline of a call. */
export interface CallBy {
  signal: AbortSignal
  timeoutMs: number
}

/**
 * An item to call. The IDs of account and link identify its call in flight and its counts of calls.
 * Must not be logged, because it contains the access token.
 */
export interface OpenItem {
  accountId: string
  linkId: string
  accessToken: string
}

/**
 * Calls of the aggregator. Every failure is thrown as a fault, whose text contains no token or key.
 */
export interface Aggregator {
  createLinkToken: (
    of: LinkTokenRequest,
    by: CallBy,
  ) => Promise<{ linkToken: string; expiresAt: Date }>
  exchange: (publicToken: string, by: CallBy) => Promise<{ accessToken: string; itemId: string }>
  /** Reads the item and its accounts; without `accountIds`, all accounts. */
  readItem: (
    item: OpenItem,
    of: { accountIds?: readonly string[] },
    by: CallBy,
  ) => Promise<ReadItem>
  /** Reads the page of changes after a cursor; with null, the first page of all transactions. */
  readChanges: (item: OpenItem, cursor: string | null, by: CallBy) => Promise<ChangePage>
  readWindow: (item: OpenItem, of: TransactionWindow, by: CallBy) => Promise<WindowPage>
  setWebhook: (item: OpenItem, url: string, by: CallBy) => Promise<void>
  /** Removes the item, so that its token is no longer valid; does nothing if it is gone. */
  removeItem: (item: OpenItem, by: CallBy) => Promise<void>
  /** Makes the aggregator ask the institution for new transactions; for operators only. */
  refresh: (item: OpenItem, by: CallBy) => Promise<void>
  /** Returns null for an unknown ID. */
  readInstitution: (institutionId: string, by: CallBy) => Promise<UpstreamInstitution | null>
  /** Returns null for an unknown ID. */
  readWebhookKey: (keyId: string, by: CallBy) => Promise<WebhookKey | null>
}

/** Lazy loading: the client's library takes 70 MiB and a quarter of a second at the first call. */
export type OpenAggregator = () => Promise<Aggregator>

/** The purpose of a link token: a new link of a user, or the update of an item. */
export type LinkTokenRequest =
  | {
      kind: 'new'
      userId: string
      /** First and last name; empty without a last name. */
      legalName: string
      email: string
      emailVerifiedAt: Date | null
      webhookUrl: string | null
    }
  | { kind: 'update'; item: OpenItem; selectsAccounts: boolean; webhookUrl: string | null }

/** An item and its accounts. */
export interface ReadItem {
  accounts: UpstreamAccount[]
  institutionId: string | null
  institutionName: string | null
  products: string[]
  webhookUrl: string | null
  /** Code of the fault that keeps the item from working; null if it works. */
  errorCode: string | null
  consentExpiresAt: Date | null
}

/** An account as received. Balances are decimal texts, null if missing, empty if unreadable. */
export interface UpstreamAccount {
  accountId: string
  /** ID that stays the same when the user renews the consent; only some institutions have one. */
  persistentId: string | null
  name: string
  officialName: string
  mask: string | null
  type: string
  subtype: string | null
  /** ISO 4217 code; null if the institution states another kind of currency, or none. */
  currency: string | null
  unofficialCurrency: string | null
  available: string | null
  current: string | null
  limit: string | null
  /** The record as JSON with sorted keys, at most 64 KiB; null if it is larger. */
  raw: string | null
}

/** A transaction as received. A positive amount leaves the account. */
export interface UpstreamTransaction {
  id: string
  /** ID of the pending transaction that this one replaces. */
  pendingId: string | null
  accountId: string
  /** Decimal text. */
  amount: string
  /** ISO 4217 code, or null, as in UpstreamAccount. */
  currency: string | null
  unofficialCurrency: string | null
  /** Days as YYYY-MM-DD. */
  date: string
  authorizedDate: string | null
  name: string
  merchantName: string | null
  originalDescription: string | null
  isPending: boolean
  categories: string[]
  category: string | null
  /** As in UpstreamAccount. */
  raw: string | null
}

/** A page of changes since a cursor. */
export interface ChangePage {
  added: UpstreamTransaction[]
  modified: UpstreamTransaction[]
  removed: { id: string; accountId: string }[]
  nextCursor: string
  hasMore: boolean
  /** Progress of the aggregator's import of the history from the institution. */
  readiness: 'not-ready' | 'initial' | 'historical' | 'unknown'
  /** Number of transactions left out because they could not be read. */
  unreadable: number
  /**
   * IDs of the pending transactions that the unreadable rows replace; an empty text for each row
   * whose ID is unreadable too.
   */
  awaited: string[]
}

/** Transactions of some days (first and last, YYYY-MM-DD), from an offset on. */
export interface TransactionWindow {
  from: string
  to: string
  offset: number
}

export interface WindowPage {
  transactions: UpstreamTransaction[]
  /** Number of transactions in the window. */
  total: number
  /** As in ChangePage. */
  unreadable: number
}

export interface UpstreamInstitution {
  institutionId: string
  name: string
  products: string[]
  countryCodes: string[]
  url: string | null
  primaryColor: string | null
  /** PNG in base64, at most 512 KiB. */
  logo: string | null
  /** The state of each product as received, by its name in snake case. */
  status: Record<string, unknown>
}

/** A public key (P-256) that verifies webhooks. */
export interface WebhookKey {
  keyId: string
  algorithm: string
  curve: string
  keyType: string
  /** Coordinates in base64url. */
  x: string
  y: string
  expiredAt: Date | null
}
