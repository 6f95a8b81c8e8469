import { changedRows, type TrackedRows } from '@coffer/kit/database/tracked-rows'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { FieldMarks } from './field-marks.ts'
import { Money } from './money.ts'

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
 * The join of a posted record to the transaction of a pending record with another amount
 * (docs/syncs.md#tips-and-holds). It is valid only while the posted record's `matchReason` is
 * amount-date-name: a record with another reason has left the transaction since. A join has no
 * reason of its own, because release 0.3 refuses unknown reasons.
 */
export const Joined = z.object({
  by: z.enum(values['Transaction.joinedBy']),
  /** ID of the transaction that the posted record had before; null without one. */
  from: z.string().nullable(),
  /** Whether the provider still lists the pending record. */
  isListed: z.boolean(),
  /** Fields of the pending transaction before the join. */
  before: z.object({
    originalName: z.string(),
    name: z.string().nullable(),
    merchantName: z.string().nullable(),
    notes: z.string().nullable(),
    spendingId: z.string().nullable(),
    /** Missing in records that a version without tags has stored. */
    tags: z.array(z.string()).nullable().default(null),
    /** Missing in records that a version without field marks has stored. */
    fieldMarks: FieldMarks.nullable().optional(),
  }),
})
export type Joined = z.infer<typeof Joined>

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
  joined: Joined.nullable(),
  /** IDs of pending transactions that the user has rejected as matches of this record. */
  rejectedIds: z.array(z.string()).nullable(),
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
})
export type ProviderRecord = z.infer<typeof ProviderRecord>

/** A provider's record of a bank account; balances are minor units of its currency. */
export const AccountRecord = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  name: z.string(),
  officialName: z.string(),
  mask: z.string().nullable(),
  currency: z.string(),
  accountType: z.string(),
  accountSubType: z.string(),
  availableBalance: Money,
  currentBalance: Money,
  limitBalance: Money,
  /** The provider's JSON as received. */
  raw: z.string().nullable(),
  createdAt: z.date(),
  createdBy: z.string(),
  updatedAt: z.date(),
})
export type AccountRecord = z.infer<typeof AccountRecord>

/**
 * An ID by which a provider names a bank account, and why the two were matched. `isCurrent`: the
 * provider has stated this ID last.
 */
export const AccountAlias = z.object({
  accountId: z.string(),
  linkId: z.string(),
  providerAccountId: z.string(),
  bankAccountId: z.string(),
  isCurrent: z.boolean(),
  matchReason: MatchReason,
  createdAt: z.date(),
})
export type AccountAlias = z.infer<typeof AccountAlias>

/**
 * Returns the changed records: those with `deletedAt` first, then those that move to another
 * transaction. A unique index allows one live record per transaction, and is checked at each row.
 */
export function recordsInOrder(records: TrackedRows<ProviderRecord>): ProviderRecord[] {
  const { created, changed } = changedRows(records)
  const all = [...created, ...changed]
  const live = all.filter(({ deletedAt }) => deletedAt === null)
  const isMoved = ({ providerTransactionId, transactionId }: ProviderRecord) => {
    const before = records.read.get(providerTransactionId)
    return before !== undefined && before.transactionId !== transactionId
  }
  return [
    ...all.filter(({ deletedAt }) => deletedAt !== null),
    ...live.filter(isMoved),
    ...live.filter((one) => !isMoved(one)),
  ]
}
