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

/**
 * The provider's IDs in an import call, and the days that it lists completely: day numbers in
 * `timezone`.
 */
export type Listed = {
  ids: ReadonlySet<string>
  wholeDays: ReadonlySet<number>
  timezone: string
}

/** Returns whether the call lists the record's day completely, but not the record. */
export function isUnlisted(
  listed: Listed,
  record: Pick<ProviderRecord, 'date' | 'providerTransactionId'>,
): boolean {
  return isOfWholeDay(listed, record) && !listed.ids.has(record.providerTransactionId)
}

/**
 * Returns whether a call lists the day of a date completely. Compares calendar days: when a clock
 * change gives a day two midnights, an earlier release may have stored the second one.
 */
export function isOfWholeDay(
  { wholeDays, timezone }: Listed,
  { date }: Pick<ProviderRecord, 'date'>,
): boolean {
  return wholeDays.has(localDay(date.getTime(), timezone))
}

/** A transaction from a provider, with all of its provider records. */
export type SyncedTransaction = { transaction: Transaction; records: readonly ProviderRecord[] }
