import { localDay } from '@coffer/kit/values/day'
import type { ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'

/** A transaction from a provider's batch, parsed and checked. */
export type ProviderRow = Pick<
  ProviderRecord,
  | 'providerTransactionId'
  | 'providerAccountId'
  | 'pendingProviderTransactionId'
  | 'amount'
  | 'currency'
  | 'date'
  | 'authorizedDate'
  | 'name'
  | 'merchantName'
  | 'categories'
  | 'category'
  | 'isPending'
  | 'raw'
> & { displayName: string; originalName: string }

/** The provider's IDs of an import call, and its whole days: day numbers in `timezone`. */
export type Listed = {
  ids: ReadonlySet<string>
  wholeDays: ReadonlySet<number>
  timezone: string
}

/** Returns whether a record is of a whole day of a call that lacks it. */
export function isUnlisted(
  listed: Listed,
  record: Pick<ProviderRecord, 'date' | 'providerTransactionId'>,
): boolean {
  return isOfWholeDay(listed, record) && !listed.ids.has(record.providerTransactionId)
}

/**
 * Returns whether a date is of a whole day of a call. Compares calendar days: a date that an
 * earlier release stored may be the second midnight of a day that has two.
 */
export function isOfWholeDay(
  { wholeDays, timezone }: Listed,
  { date }: Pick<ProviderRecord, 'date'>,
): boolean {
  return wholeDays.has(localDay(date.getTime(), timezone))
}

/** A transaction from a provider, with all of its provider records. */
export type SyncedTransaction = { transaction: Transaction; records: readonly ProviderRecord[] }
