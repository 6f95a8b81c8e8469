import { z } from 'zod'
import { Money } from '../money/money.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * The reason why a provider's object was matched to a transaction or bank account.
 * - `pending-id`: the object names a known pending transaction
 * - `posted-first`: a posted transaction arrived earlier and names the object
 * - `re-consent`: an earlier ID of the account has the same object
 * - `amount-date-name`: the object is similar to a known pending transaction
 */
export const MatchReason = z.enum([
  'new',
  'pending-id',
  'posted-first',
  're-consent',
  'amount-date-name',
])
export type MatchReason = z.infer<typeof MatchReason>

/**
 * A provider's record of a transaction under one of its IDs. Amounts are minor units, positive when
 * money leaves the account; dates are midnight in the account's timezone. `deletedAt` is the
 * instant at which the provider withdrew the record, or another one replaced it. A transaction has
 * at most one live record, and none once it is deleted.
 */
export const ProviderRecord = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  providerTransactionId: z.string(),
  /** The provider's ID of the bank account when the record was imported. */
  providerAccountId: z.string(),
  recordId: z.string(),
  transactionId: z.string(),
  /** The pending ID that a posted record names. */
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
  /** The provider's object as received, JSON. */
  raw: z.string().nullable(),
  matchReason: MatchReason,
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type ProviderRecord = z.infer<typeof ProviderRecord>

/** A provider's transaction, parsed and within bounds. */
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

/** A synced transaction with all of its records. */
export type SyncedTransaction = { transaction: Transaction; records: readonly ProviderRecord[] }

/** Returns the live record; null if the provider has withdrawn all. */
export function liveRecord({ records }: Pick<SyncedTransaction, 'records'>): ProviderRecord | null {
  return records.find(({ deletedAt }) => deletedAt === null) ?? null
}

/** Returns the live record, or the last one that was live. */
export function lastRecord({ records }: Pick<SyncedTransaction, 'records'>): ProviderRecord | null {
  const [last = null] = records.toSorted((a, b) => endOf(b) - endOf(a))
  return last
}

/**
 * Returns the records that a transaction shows: of posted and of pending ones the live or last one.
 */
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
