import { invalid } from '@coffer/kit/rpc/errors'
import { z } from 'zod'
import { requireManual } from '../book/bank-account.ts'
import { inRange } from '../book/money.ts'
import { emptyTransaction, StatedFields, type Transaction } from '../book/transaction.ts'
import {
  deltasOf,
  endOperation,
  findEnvelope,
  type Locked,
  moveBalances,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { take } from '../money/spend.ts'

/** The rows to save for a new or changed transaction; `settlement` has the changed envelopes. */
export type TransactionDecision = { settlement: Settlement; transaction: Transaction }

/** The fields of a PATCH of a transaction; `date` is midnight in the account's timezone. */
export type TransactionPatch = {
  [Field in keyof StatedFields]?: StatedFields[Field] | null | undefined
}

const statedFields = Object.entries(StatedFields.shape).map(([name, type]) => {
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
  if (body.adjustsBalance) {
    moveBalances(started, 'transaction', transaction, deltasOf(transaction))
  }
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
