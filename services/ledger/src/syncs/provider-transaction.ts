import { localDay } from '@coffer/kit/values/day'
import { z } from 'zod'
import { Money } from '../book/money.ts'
import type { Transaction } from '../book/transaction.ts'

/** Rule that matched a provider's data to a stored transaction or bank account (docs/syncs.md). */
export const MatchReason = z.enum([
  'new',
  'pending-id',
  'posted-first',
  're-consent',
  'amount-date-name',
])
export type MatchReason = z.infer<typeof MatchReason>

/**
 * A provider's data of a transaction under one of its IDs. Amounts are minor units, positive if
 * money leaves the bank account; dates are midnight in the account's timezone. `deletedAt` is set
 * when the provider withdraws the record or another one replaces it. A transaction has at most one
 * live record (without `deletedAt`), and none once it is deleted.
 */
export const ProviderRecord = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  providerTransactionId: z.string(),
  /** The provider's ID of the bank account when the record was imported. */
  providerAccountId: z.string(),
  recordId: z.string(),
  transactionId: z.string(),
  /** The provider's ID of the pending transaction that this posted one replaces. */
  pendingProviderTransactionId: z.string().nullable(),
  amount: Money,
  currency: z.string(),
  date: z.date(),
  authorizedDate: z.date().nullable(),
  name: z.string(),
  merchantName: z.string(),
  categories: z.array(z.string()),
  category: z.string().nullable(),
  isPending: z.boolean(),
  /** The provider's JSON object as received. */
  raw: z.string().nullable(),
  matchReason: MatchReason,
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type ProviderRecord = z.infer<typeof ProviderRecord>

/** A transaction from a provider's batch, parsed and checked. */
export type ProviderItem = Pick<
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

/** Returns the record without `deletedAt`; null if the provider has withdrawn all records. */
export function liveRecord({ records }: Pick<SyncedTransaction, 'records'>): ProviderRecord | null {
  return records.find(({ deletedAt }) => deletedAt === null) ?? null
}

/** Returns the record without `deletedAt`, else the one deleted last; null without records. */
export function lastRecord({ records }: Pick<SyncedTransaction, 'records'>): ProviderRecord | null {
  const [last = null] = records.toSorted((a, b) => endOf(b) - endOf(a))
  return last
}

/** Returns a posted and a pending record to show: the live or last deleted one; null without. */
export function shownRecords(records: readonly ProviderRecord[]): {
  posted: ProviderRecord | null
  pending: ProviderRecord | null
} {
  return {
    posted: lastRecord({ records: records.filter(({ isPending }) => !isPending) }),
    pending: lastRecord({ records: records.filter(({ isPending }) => isPending) }),
  }
}

function endOf({ deletedAt }: ProviderRecord): number {
  return deletedAt?.getTime() ?? Number.POSITIVE_INFINITY
}
