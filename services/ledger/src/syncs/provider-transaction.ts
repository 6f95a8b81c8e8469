import { z } from 'zod'
import { Money } from '../money/money.ts'
import type { Transaction } from '../transactions/transaction.ts'

/**
 * Why something that a provider sent was taken for the transaction (or bank account) it was taken
 * for. `pending-id`: it names a pending one that is known. `posted-first`: what was posted came
 * before it and names it. `re-consent`: the same thing was seen under an earlier ID of the account.
 * `amount-date-name`: it looks like a pending one that is known.
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
 * A provider's record of a transaction under one of its IDs. Amounts are minor units and positive
 * when they leave the account, dates midnight in the account's timezone. `deletedAt` is when the
 * provider took it back or another record took its place: a transaction has one live record at
 * most, and none once it is deleted.
 */
export const ProviderRecord = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  providerTransactionId: z.string(),
  /** The ID by which the provider knew the bank account then. */
  providerAccountId: z.string(),
  recordId: z.string(),
  transactionId: z.string(),
  /** Of a posted record: the pending one that it says it was. */
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
  /** What the provider sent, JSON. */
  raw: z.string().nullable(),
  matchReason: MatchReason,
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type ProviderRecord = z.infer<typeof ProviderRecord>

/** What a provider says of a transaction, read and within bounds. */
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

/** A transaction that a sync has brought, with every record of it. */
export type SyncedTransaction = { transaction: Transaction; records: readonly ProviderRecord[] }

/** The record that says what a transaction is; null when its provider has none left. */
export function liveRecord({ records }: Pick<SyncedTransaction, 'records'>): ProviderRecord | null {
  return records.find(({ deletedAt }) => deletedAt === null) ?? null
}

/** The live record, or the one that was live last. */
export function lastRecord({ records }: Pick<SyncedTransaction, 'records'>): ProviderRecord | null {
  const [last = null] = records.toSorted((a, b) => endOf(b) - endOf(a))
  return last
}

/** The records that a transaction shows: of each kind the live one, or the last. */
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
