import { invalid } from '@coffer/kit/errors'
import { z } from 'zod'
import { subtractFromBalances } from './balance-changes.ts'
import { type BankAccount, requireManual, requireWritable } from './bank-account.ts'
import { findEnvelope, type Operation, openBook, type Settlement, settle } from './book.ts'
import type { Envelope } from './envelope.ts'
import { inRange, Money } from './money.ts'
import { take } from './spend.ts'

const Source = z.enum(['aggregator', 'upload', 'manual', 'feed'])

/**
 * A transaction; a positive amount leaves the account, in minor units. `spendingAmount` is what the
 * envelope gave, null exactly when `spendingId` is. `date` is midnight in the account's timezone.
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
})
export type Transaction = z.infer<typeof Transaction>

/** What the lock statement has read; envelopes are those that the request may concern. */
export type Locked = {
  bankAccount: BankAccount
  envelopes: readonly Envelope[]
  operation: Operation
}

/** The outcome of a write to a transaction; the settlement's envelopes are the changed ones. */
export type TransactionDecision = { settlement: Settlement; transaction: Transaction }

/** The body of a create; `date` is already midnight in the account's timezone. */
export type NewTransaction = {
  transactionId: string
  amount: bigint
  date: Date
  name: string
  merchantName: string | null
  spendingId: string | null
  adjustsBalance: boolean
  isPending: boolean
}

/**
 * Decides a manual transaction (`spec/ledger.md` 4.4, `decisions.md` Ledger): only on a manual
 * link; a deposit has no envelope; the envelope gives what it can.
 */
export function createTransaction(locked: Locked, body: NewTransaction): TransactionDecision {
  requireWritable(locked.bankAccount)
  requireManual(locked.bankAccount)
  requireAmount(body.amount)
  requireSpending(body)
  const book = openBook(locked)
  const reason = { cause: 'transaction', causeId: body.transactionId } as const
  const { amount, date, isPending, spendingId } = body
  let spendingAmount: bigint | null = null
  if (spendingId !== null) {
    const envelope = findEnvelope(book, spendingId)
    if (envelope === null) {
      throw unknownEnvelope()
    }
    spendingAmount = take(book, envelope, { amount, ...reason })
  }
  if (body.adjustsBalance) {
    subtractFromBalances(book, { amount, date, isPending, ...reason })
  }
  const { merchantName, name, transactionId } = body
  const transaction: Transaction = {
    ...manualTransaction(locked, { transactionId, name, amount, date }),
    merchantName: merchantName === '' ? null : merchantName,
    spendingId,
    spendingAmount,
    isPending,
  }
  return { settlement: settle(book), transaction }
}

/** A posted, unassigned transaction of source manual; its original name is its name. */
export function manualTransaction(
  { bankAccount, operation }: Locked,
  { name, ...stated }: Pick<NewTransaction, 'transactionId' | 'name' | 'amount' | 'date'>,
): Transaction {
  const created = { source: 'manual', createdAt: operation.now } as const
  return { ...emptyTransaction(bankAccount, { ...stated, ...created }), name, originalName: name }
}

/** A posted, unassigned transaction without any text: every new transaction starts from it. */
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
  }
}

/** Refuses an amount that somebody states to be 0, or out of range. */
export function requireAmount(amount: bigint): void {
  if (amount === 0n) {
    throw invalid({ amount: 'must not be 0' })
  }
  inRange(amount)
}

/** Refuses a deposit that names an envelope. */
export function requireSpending(of: { amount: bigint; spendingId: string | null }): void {
  if (of.amount < 0n && of.spendingId !== null) {
    throw invalid({ spendingId: 'a deposit cannot be assigned to an expense or a goal' })
  }
}

/** A `spendingId` that is not an open envelope of this bank account is a 400 (`decisions.md`). */
export function unknownEnvelope(): Error {
  return invalid({ spendingId: 'does not exist in this bank account' })
}
