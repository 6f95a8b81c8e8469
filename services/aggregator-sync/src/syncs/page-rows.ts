import { toMessage } from '@coffer/kit/rpc/message'
import { parseExact } from '@coffer/kit/values/decimal'
import {
  type ProviderTransaction,
  ProviderTransactionSchema,
  type SyncedBankAccount,
} from '@coffer/proto/ledger/v1/sync_import'
import { isImportedDay } from '@coffer/sync-kit/provider/row-values'
import type { ChangePage, UpstreamTransaction } from '../provider/aggregator.ts'

/** The transactions of a page in one bank account. */
export interface AccountChanges {
  account: Importing
  transactions: ProviderTransaction[]
}

/** A bank account that takes imports. */
export type Importing = Pick<SyncedBankAccount, 'bankAccountId' | 'providerAccountId' | 'currency'>

/** Transactions in a page of changes. */
type Rows = Pick<ChangePage, 'added' | 'modified'>

/**
 * Groups a page of changes by bank account. Counts rows of unknown accounts, and rows that the
 * ledger cannot store, as skipped.
 */
export function divideChanges(
  page: Rows & Pick<ChangePage, 'unreadable'>,
  { accounts, lastDay }: { accounts: readonly Importing[]; lastDay: string },
): { changes: AccountChanges[]; skipped: number } {
  const changes = accounts.map((account) => ({
    account,
    transactions: [] as ProviderTransaction[],
  }))
  const byId = new Map(changes.map((one) => [one.account.providerAccountId, one]))
  let skipped = page.unreadable
  for (const row of [...page.added, ...page.modified]) {
    const found = byId.get(row.accountId)
    const transaction = found && toProviderTransaction(row, { ...found.account, lastDay })
    if (transaction) found.transactions.push(transaction)
    else skipped += 1
  }
  return { changes, skipped }
}

/** Returns the IDs of the rows that a page adds or modifies, without those that it also removes. */
export function listedIn({ added, modified, removed }: ChangePage): string[] {
  const gone = new Set(removed.map(({ id }) => id))
  return [...added, ...modified].flatMap(({ id }) => (gone.has(id) ? [] : id))
}

/** Returns the aggregator's IDs of the accounts of a page's rows that are not in `knownIds`. */
export function listStrangers(page: Rows, knownIds: readonly string[]): string[] {
  const known = new Set(knownIds)
  const all = new Set([...page.added, ...page.modified].map(({ accountId }) => accountId))
  return [...all].filter((id) => !known.has(id))
}

/**
 * Converts a row of the aggregator for an import by the ledger, in the currency of its bank account
 * (docs/banks/aggregator.md#rows). Returns null for another currency, a day after `lastDay` or
 * before 1970, and an amount with more decimal places than the currency.
 */
export function toProviderTransaction(
  row: UpstreamTransaction,
  { currency, lastDay }: { currency: string; lastDay: string },
): ProviderTransaction | null {
  const isOwn = row.currency === null ? row.unofficialCurrency === null : row.currency === currency
  const amount = isOwn ? parseExact(row.amount, currency) : null
  if (amount === null || !isImportedDay(row.date, lastDay)) return null
  const { merchantName, originalDescription, authorizedDate } = row
  const displayName = nameOf(row) || `Transaction ${row.date} ${row.amount} ${currency}`
  const isAuthorized = authorizedDate !== null && isImportedDay(authorizedDate, lastDay)
  return toMessage(ProviderTransactionSchema, {
    providerTransactionId: row.id,
    pendingProviderTransactionId: row.pendingId,
    amount,
    currency,
    date: row.date,
    authorizedDate: isAuthorized ? authorizedDate : null,
    displayName,
    originalName: originalDescription || displayName,
    name: row.name || displayName,
    merchantName: merchantName ?? '',
    categories: row.categories,
    category: row.category,
    isPending: row.isPending,
    raw: row.raw,
  })
}

/** Returns the shorter of name and merchant, because names may be long descriptions of the bank. */
function nameOf({ name, merchantName, originalDescription }: UpstreamTransaction): string {
  const isShorter = merchantName && merchantName.length < name.length
  if (isShorter) return merchantName
  return name || merchantName || originalDescription || ''
}
