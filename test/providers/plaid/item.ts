import { randomUUID } from 'node:crypto'
import type { Item, TransactionsUpdateStatus } from 'plaid'
import { createFaultList, type FaultList } from '../faults.ts'
import { type Account, createAccount, type NewAccount, newId } from './account.ts'
import { createBank, type PlaidBank } from './bank.ts'
import { type ChangeLog, type Changes, createChangeLog } from './change-log.ts'
import { type ErrorCode, errorBody } from './errors.ts'
import type { Plain } from './plain.ts'

/** An item to create, as a script states it. */
export interface NewItem {
  itemId?: string
  accessToken?: string
  institutionId?: string
  webhook?: string | null
  accounts?: readonly NewAccount[]
}

/** A user's connection to an institution, with what happens at the bank as a script. */
export interface PlaidItem {
  readonly itemId: string
  readonly institutionId: string
  /** The token that Plaid accepts now. */
  accessToken: string
  /** URL of webhooks. */
  webhook: string | null
  /** How far Plaid has read the bank; by default to the end. */
  readiness: `${TransactionsUpdateStatus}`
  /** End of the user's consent. */
  consentExpiresAt: Date | null
  /** Error of the item; requests for the item are refused with it if `isRefused`. */
  error: { code: ErrorCode; isRefused: boolean } | null
  /** Whether a client has removed the item. Its access token is then refused. */
  isRemoved: boolean
  /** Maximum number of changes in a page; a client may ask for fewer. */
  pageMax: number
  /** Faults of requests for this item; they come before those of all items. */
  fault: FaultList['fault']
  /** Paths of requests for this item that arrived while it had an unanswered one. */
  overlaps: string[]
  /** Returns the bank accounts that answers list. */
  accounts: () => Account[]
  /** Adds a bank account; the next answers list it. Returns its ID. */
  addAccount: (account: NewAccount) => string
  /** Returns the script of a bank account. */
  bank: (accountId: string) => PlaidBank
  /** Lets a bank account disappear from all answers, with its transactions. */
  hide: (accountId: string) => void
  /** Lets a hidden bank account come back, with the changes since. */
  show: (accountId: string) => void
  /**
   * Lets a bank account come back under a new ID, as after a renewed consent. Its persistent ID
   * stays. `kept`: its transactions keep their IDs. `new`: they are removed, and added under new
   * IDs. Returns the bank account's new ID.
   */
  renewAccount: (accountId: string, transactionIds: 'kept' | 'new') => string
  /** Orders the changes that no client has read to the end anew; the seed determines how. */
  reorder: (seed: number) => void
  /** Refuses all cursors given so far. */
  refuseCursors: () => void
  /** Returns all changes after a cursor, null for the beginning. No client reads them by it. */
  changesAfter: (cursor: string | null) => Changes
}

/** An item with the part that only the endpoints use. */
export interface StoredItem extends PlaidItem {
  faults: FaultList
  log: ChangeLog
  /** Requests without an answer. */
  inFlight: number
  isVisible: (accountId: string) => boolean
}

/** Creates an item of an institution, by default without bank accounts. */
export function createItem(of: NewItem): StoredItem {
  const log = createChangeLog()
  const accounts = new Map<string, Account>()
  /** Hidden bank accounts, each with the position up to which a client has read it. */
  const hidden = new Map<string, number>()
  const faults = createFaultList()
  const find = (id: string): Account => {
    const account = accounts.get(id)
    if (!account) throw new Error(`the item has no bank account ${id}`)
    return account
  }
  const addAccount = (one: NewAccount): string => {
    const account = createAccount(one)
    accounts.set(account.account_id, account)
    return account.account_id
  }
  for (const one of of.accounts ?? []) addAccount(one)
  return {
    itemId: of.itemId ?? newId(),
    institutionId: of.institutionId ?? 'ins_109508',
    accessToken: of.accessToken ?? newAccessToken(),
    webhook: of.webhook ?? null,
    readiness: 'HISTORICAL_UPDATE_COMPLETE',
    consentExpiresAt: null,
    error: null,
    isRemoved: false,
    pageMax: 500,
    fault: faults.fault,
    faults,
    overlaps: [],
    inFlight: 0,
    log,
    accounts: () => [...accounts.values()].filter((one) => !hidden.has(one.account_id)),
    isVisible: (id) => !hidden.has(id),
    addAccount,
    bank: (id) => createBank(() => find(id), log),
    hide: (id) => void hidden.set(find(id).account_id, log.readTo()),
    show: (id) => {
      const since = hidden.get(id)
      if (since === undefined) throw new Error(`the bank account ${id} is not hidden`)
      hidden.delete(id)
      log.repeat(id, since)
    },
    renewAccount: (id, transactionIds) => {
      const renewed = { ...find(id), account_id: newId() }
      for (const row of log.live().filter((one) => one.account_id === id)) {
        const moved = { ...row, account_id: renewed.account_id }
        if (transactionIds === 'kept') log.change(row.transaction_id, moved)
        else {
          log.remove(row.transaction_id)
          log.add({ ...moved, transaction_id: newId() })
        }
      }
      accounts.delete(id)
      hidden.delete(id)
      accounts.set(renewed.account_id, renewed)
      return renewed.account_id
    },
    reorder: (seed) => log.reorder(seed),
    refuseCursors: () => log.refuseCursors(),
    changesAfter: (cursor) => log.changesAfter(cursor),
  }
}

/** Returns an access token in the form of Plaid. */
export function newAccessToken(): string {
  return `access-sandbox-${randomUUID()}`
}

/** Returns an item as answers have it. */
export function itemBody(item: StoredItem, institutionName: string): Plain<Item> {
  const { itemId, institutionId, webhook, error, consentExpiresAt } = item
  return {
    item_id: itemId,
    institution_id: institutionId,
    institution_name: institutionName,
    webhook,
    auth_method: null,
    error: error ? errorBody(error.code) : null,
    available_products: ['balance', 'identity'],
    billed_products: ['transactions'],
    products: ['transactions'],
    consented_products: ['transactions'],
    consent_expiration_time: consentExpiresAt?.toISOString() ?? null,
    update_type: 'background',
  }
}
