import { invalid } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { type BankAccount, requireManual } from './bank-account.ts'
import type { Envelope } from './envelope.ts'
import { inRange, Money } from './money.ts'
import {
  endOperation,
  findEnvelope,
  moveBalances,
  type Operation,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { take } from '../money/spend.ts'

const Source = z.enum(['aggregator', 'upload', 'manual', 'feed'])

/**
 * A transaction; `amount` in minor units, positive if money leaves the bank account.
 * `spendingAmount` is what the envelope `spendingId` gave; both are null if unassigned. `date` is
 * midnight in the account's timezone. `adjustedByDeletion` is whether a DELETE returned the amount
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
  adjustedByDeletion: z.boolean().nullable(),
  unassignedByDeletion: z.string().nullable(),
})
export type Transaction = z.infer<typeof Transaction>

/** The columns of the text search, in the order of the SQL function `transaction_text`. */
export const searchedTexts = [
  'name',
  'originalName',
  'merchantName',
  'originalMerchantName',
  'notes',
] as const satisfies readonly (keyof Transaction)[]

/** Input of a decision: the bank account, and the envelopes that the request may change. */
export type Locked = {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  operation: Operation
}

/** The rows to save for a new or changed transaction; `settlement` has the changed envelopes. */
export type TransactionDecision = { settlement: Settlement; transaction: Transaction }

/** The fields that a user may set: all in a create request, some in a PATCH. */
const Stated = Transaction.pick({
  amount: true,
  date: true,
  merchantName: true,
  spendingId: true,
  isPending: true,
  notes: true,
}).extend({ name: z.string() })
type StatedFields = z.infer<typeof Stated>

/** The fields of a PATCH of a transaction; `date` is midnight in the account's timezone. */
export type TransactionPatch = {
  [Field in keyof StatedFields]?: StatedFields[Field] | null | undefined
}

const statedFields = Object.entries(Stated.shape).map(([name, type]) => {
  return { name, isNullable: type instanceof z.ZodNullable }
})

/** Body of a request to create a transaction; `date` is midnight in the account's timezone. */
export type NewTransaction = TransactionPatch &
  Pick<StatedFields, 'amount' | 'date' | 'name'> & {
    transactionId: string
    adjustsBalance: boolean
  }

/**
 * Returns the rows to save for a transaction on a manual link (docs/transactions.md#create). Its
 * envelope gives min(held, amount); a deposit may not have one.
 */
export function createTransaction(locked: Locked, body: NewTransaction): TransactionDecision {
  requireManual(locked.bankAccount)
  const stated = { ...manualTransaction(locked, body), ...storedFields(body) }
  requireAmount(stated.amount)
  requireSpending(stated)
  const started = startOperation(locked)
  const transaction = { ...stated, spendingAmount: takeFrom(started, stated) }
  if (body.adjustsBalance) moveBalances(started, 'transaction', transaction)
  return { settlement: endOperation(started), transaction }
}

/** Returns the fields to store. In a nullable column '' becomes null; elsewhere null is ignored. */
export function storedFields(patch: TransactionPatch): Partial<StatedFields> {
  const given: Record<string, unknown> = patch
  const stored = statedFields.flatMap(({ name, isNullable }) => {
    const value = isNullable && given[name] === '' ? null : given[name]
    return value === undefined || (value === null && !isNullable) ? [] : [[name, value]]
  })
  return Object.fromEntries(stored)
}

/**
 * Takes min(held, amount) from a transaction's envelope. Returns the taken minor units, or null if
 * unassigned. Throws `invalid` if `spendingId` is not an open envelope of the bank account.
 */
export function takeFrom(
  started: StartedOperation,
  { amount, spendingId, transactionId: causeId }: Transaction,
): bigint | null {
  if (spendingId === null) return null
  const envelope = findEnvelope(started, spendingId)
  if (envelope === null)
    throw invalid({ spendingId: 'does not exist in this bank account: see its list of spending' })
  return take(started, envelope, { amount, cause: 'transaction', causeId })
}

/** Returns a posted, unassigned transaction of source manual; its original name is its name. */
export function manualTransaction(
  { bankAccount, operation }: Locked,
  { name, ...stated }: Pick<NewTransaction, 'transactionId' | 'name' | 'amount' | 'date'>,
): Transaction {
  const created = { source: 'manual', createdAt: operation.now } as const
  return { ...emptyTransaction(bankAccount, { ...stated, ...created }), name, originalName: name }
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
    spendingId: null,
    spendingAmount: null,
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
    adjustedByDeletion: null,
    unassignedByDeletion: null,
  }
}

/** Throws `invalid` (400) if the amount is 0 or outside ±2^53−1. */
export function requireAmount(amount: bigint): void {
  if (amount === 0n) throw invalid({ amount: 'must not be 0' })
  inRange(amount)
}

/** Throws `invalid` if a deposit names an envelope. */
export function requireSpending(of: { amount: bigint; spendingId: string | null }): void {
  if (of.amount < 0n && of.spendingId !== null) {
    throw invalid({ spendingId: 'a deposit cannot be assigned to an expense or a goal' })
  }
}
