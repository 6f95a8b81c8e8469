import { parseExact } from '@coffer/kit/values/decimal'
import type { ChangePage, UpstreamTransaction } from '../provider/aggregator.ts'

/** A transaction as the ledger imports it (`ProviderTransaction` in sync_import.proto). */
export interface Item {
  providerTransactionId: string
  pendingProviderTransactionId?: string
  /** Minor units; positive amounts leave the account. */
  amount: bigint
  currency: string
  /** YYYY-MM-DD */
  date: string
  authorizedDate?: string
  displayName: string
  originalName: string
  name: string
  merchantName: string
  categories: string[]
  category?: string
  isPending: boolean
  /** JSON of the aggregator's fields; unset above 64 KiB. */
  raw?: string
}

/** A bank account that takes imports. */
export interface Importing {
  bankAccountId: string
  /** The aggregator's current ID of the account. */
  providerAccountId: string
  currency: string
}

/** The items of one bank account. */
export interface AccountItems {
  account: Importing
  items: Item[]
}

/** Transactions that pages of changes have. */
type Rows = Pick<ChangePage, 'added' | 'modified'>

const firstDay = '1970-01-01'

/**
 * Divides a page of changes by bank accounts. Rows of unknown accounts, and those that are no
 * items, are counted as skipped.
 */
export function divideChanges(
  page: Rows & Pick<ChangePage, 'unreadable'>,
  { accounts, lastDay }: { accounts: readonly Importing[]; lastDay: string },
): { changes: AccountItems[]; skipped: number } {
  const changes = accounts.map((account) => ({ account, items: [] as Item[] }))
  const byId = new Map(changes.map((one) => [one.account.providerAccountId, one]))
  let skipped = page.unreadable
  for (const row of [...page.added, ...page.modified]) {
    const found = byId.get(row.accountId)
    const item = found && toItem(row, { currency: found.account.currency, lastDay })
    if (item) found.items.push(item)
    else skipped += 1
  }
  return { changes, skipped }
}

/** Returns the accounts of a page's rows that are not among these, by the aggregator's IDs. */
export function listStrangers(page: Rows, knownIds: readonly string[]): string[] {
  const known = new Set(knownIds)
  const all = new Set([...page.added, ...page.modified].map(({ accountId }) => accountId))
  return [...all].filter((id) => !known.has(id))
}

/**
 * Converts a transaction of the aggregator to an item in the currency of its bank account
 * (docs/banks/aggregator.md#items). Returns null for another currency, a day after `lastDay` or
 * before 1970, and an amount with more decimal places than the currency.
 */
export function toItem(
  row: UpstreamTransaction,
  { currency, lastDay }: { currency: string; lastDay: string },
): Item | null {
  const isOwn = row.currency === null ? row.unofficialCurrency === null : row.currency === currency
  const amount = isOwn ? parseExact(row.amount, currency) : null
  if (amount === null || !isWithin(row.date, lastDay)) return null
  const { merchantName, originalDescription, authorizedDate, pendingId, category, raw } = row
  const displayName = nameOf(row) || `Transaction ${row.date} ${row.amount} ${currency}`
  const isAuthorized = authorizedDate !== null && isWithin(authorizedDate, lastDay)
  return {
    providerTransactionId: row.id,
    ...(pendingId === null ? {} : { pendingProviderTransactionId: pendingId }),
    amount,
    currency,
    date: row.date,
    ...(isAuthorized ? { authorizedDate } : {}),
    displayName,
    originalName: originalDescription || displayName,
    name: row.name || displayName,
    merchantName: merchantName ?? '',
    categories: row.categories,
    ...(category === null ? {} : { category }),
    isPending: row.isPending,
    ...(raw === null ? {} : { raw }),
  }
}

/** Returns the shorter one of name and merchant: names may be descriptions of the bank. */
function nameOf({ name, merchantName, originalDescription }: UpstreamTransaction): string {
  const isShorter = merchantName && merchantName.length < name.length
  if (isShorter) return merchantName
  return name || merchantName || originalDescription || ''
}

function isWithin(day: string, lastDay: string): boolean {
  return day >= firstDay && day <= lastDay
}
