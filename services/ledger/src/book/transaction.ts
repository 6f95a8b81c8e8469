import { isDeepStrictEqual } from 'node:util'
import { foldText } from '@coffer/kit/values/fold'
import { dayMs } from '@coffer/kit/values/time'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { FieldMarks, type MarkedField } from './field-marks.ts'
import { Money } from './money.ts'

const Source = z.enum(values['Transaction.source'])

/**
 * A transaction; `amount` in minor units, positive if money leaves the bank account.
 * `spendingAmount` is what the envelope `spendingId` gave; both are null if unassigned. A deposit
 * with an envelope is a refund: `refundAmount` is what the envelope got back. `date` is midnight in
 * the account's timezone. `adjustedByDeletion` is whether a DELETE returned the amount
 * to the balances, `unassignedByDeletion` the envelope from which it unassigned the transaction;
 * both null while it is live.
 */
export const Transaction = z.object({
  accountId: z.string(),
  transactionId: z.string(),
  bankAccountId: z.string(),
  amount: Money,
  spendingId: z.string().nullable(),
  spendingAmount: Money.nullable(),
  refundAmount: Money.min(0n).nullable(),
  createdBySpendingId: z.string().nullable(),
  createdByFundingScheduleId: z.string().nullable(),
  categories: z.array(z.string()),
  category: z.string().nullable(),
  date: z.date(),
  name: z.string().nullable(),
  originalName: z.string(),
  merchantName: z.string().nullable(),
  originalMerchantName: z.string(),
  isPending: z.boolean(),
  uploadIdentifier: z.string().nullable(),
  source: Source,
  createdAt: z.date(),
  deletedAt: z.date().nullable(),
  notes: z.string().nullable(),
  tags: z.array(z.string()).nullable(),
  adjustedByDeletion: z.boolean().nullable(),
  unassignedByDeletion: z.string().nullable(),
  fieldMarks: FieldMarks.nullable(),
})
export type Transaction = z.infer<typeof Transaction>

/** The columns of the text search, in the order of the SQL function `folded_transaction_text`. */
export const searchedTexts = [
  'name',
  'originalName',
  'merchantName',
  'originalMerchantName',
  'notes',
] as const satisfies readonly (keyof Transaction)[]

// biome-ignore lint/suspicious/noControlCharactersInRegex: the range of ASCII begins with them.
const ascii = /^[\x00-\x7F]*$/
/** Letters whose fold differs between the Unicode versions of Node and Postgres. */
const varying = /[\u0700-\u1DFF\u2C00-\u2FFF\uA000-\uABFF\uD7A4-\u{10FFFF}]/u

/**
 * Returns the column `searched_text` of a new transaction: its texts, folded. Null leaves the fold
 * to the SQL function `folded_transaction_text`: for ASCII, where SQL is fast, and for letters that
 * Node and Postgres may fold differently.
 */
export function searchedTextOf(transaction: Pick<Transaction, (typeof searchedTexts)[number]>) {
  const texts = new Set(searchedTexts.map((field) => transaction[field] ?? ''))
  const text = [...texts].join('\n')
  return ascii.test(text) || varying.test(text) ? null : foldText(text)
}

/** The fields that a user may set: all in a create request, some in a PATCH. */
export const StatedFields = Transaction.pick({
  amount: true,
  date: true,
  merchantName: true,
  spendingId: true,
  isPending: true,
  notes: true,
  tags: true,
}).extend({ name: z.string() })
export type StatedFields = z.infer<typeof StatedFields>

/**
 * Fields that are null until the user sets them. Not the merchant, which the provider may have
 * stated.
 */
export const userFields = Object.entries(StatedFields.shape).flatMap(([name, type]) =>
  type instanceof z.ZodNullable && name !== 'merchantName'
    ? [name as Exclude<MarkedField, 'name' | 'merchantName'>]
    : [],
)

/** The envelope of a transaction and the amounts moved; all are null if it is unassigned. */
export type Assignment = Pick<Transaction, 'spendingId' | 'spendingAmount' | 'refundAmount'>

export const unassigned: Assignment = { spendingId: null, spendingAmount: null, refundAmount: null }

/** The envelope of a transaction: `spendingId` pays, `refundSpendingId` gets a refund. */
export type NamedEnvelope = { spendingId: string | null; refundSpendingId: string | null }

/**
 * Returns the envelope of a transaction in the two fields of requests and replies. They state
 * whether it pays or gets a refund, which the stored `spendingId` alone does not.
 */
export function namedEnvelope({
  spendingId,
  refundAmount,
}: Pick<Assignment, 'spendingId' | 'refundAmount'>): NamedEnvelope {
  return refundAmount === null
    ? { spendingId, refundSpendingId: null }
    : { spendingId: null, refundSpendingId: spendingId }
}

/** Returns a posted, unassigned transaction with empty texts, the base of every new transaction. */
export function emptyTransaction(
  { accountId, bankAccountId }: Pick<Transaction, 'accountId' | 'bankAccountId'>,
  created: Pick<Transaction, 'transactionId' | 'amount' | 'date' | 'source' | 'createdAt'>,
): Transaction {
  return {
    accountId,
    transactionId: created.transactionId,
    bankAccountId,
    amount: created.amount,
    ...unassigned,
    createdBySpendingId: null,
    createdByFundingScheduleId: null,
    categories: [],
    category: null,
    date: created.date,
    name: null,
    originalName: '',
    merchantName: null,
    originalMerchantName: '',
    isPending: false,
    uploadIdentifier: null,
    source: created.source,
    createdAt: created.createdAt,
    deletedAt: null,
    notes: null,
    tags: null,
    adjustedByDeletion: null,
    unassignedByDeletion: null,
    fieldMarks: null,
  }
}

type Texts = Pick<Transaction, 'originalName' | 'originalMerchantName' | 'date' | 'deletedAt'>

/** Returns whether the fields that the search for similar transactions uses are equal. */
export function hasSameText(one: Texts, other: Texts): boolean {
  return isDeepStrictEqual(selectTexts(one), selectTexts(other))
}

/** Returns the fields that affect a search; `date` determines the order of transactions. */
function selectTexts({ originalName, originalMerchantName, date, deletedAt }: Texts): Texts {
  return { originalName, originalMerchantName, date, deletedAt }
}

/** Returns the days between two midnights, rounded because a day may have 23 or 25 hours. */
export function daysAfter(before: { date: Date }, after: { date: Date }): number {
  return Math.round((after.date.getTime() - before.date.getTime()) / dayMs)
}
