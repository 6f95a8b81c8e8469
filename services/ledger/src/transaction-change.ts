import { invalid, notFound } from '@coffer/kit/errors'
import { requireWritable } from './bank-account.ts'
import { type Book, findEnvelope, openBook, settle } from './book.ts'
import { giveBack, take } from './spend.ts'
import {
  type Locked,
  requireAmount,
  requireSpending,
  type Transaction,
  type TransactionDecision,
  unknownEnvelope,
} from './transaction.ts'

/** What a PATCH names; `date` is already midnight in the account's timezone. */
export type TransactionPatch = Partial<{
  name: string
  merchantName: string | null
  spendingId: string | null
  amount: bigint
  date: Date
  isPending: boolean | null
}>

const MANUAL_ONLY = ['amount', 'date', 'isPending'] as const

/**
 * Decides a PATCH (`spec/ledger.md` 4.5, `decisions.md` Ledger). The rules hold for the merged
 * transaction. The envelope follows: what the old one gave is returned, then the new one (or the
 * same, when the amount changed) gives for the merged amount; old before new. Balances stay.
 */
export function changeTransaction(
  locked: Locked & { transaction: Transaction },
  patch: TransactionPatch,
): TransactionDecision {
  requireWritable(locked.bankAccount)
  const before = locked.transaction
  if (before.deletedAt !== null) {
    throw notFound('transaction')
  }
  if (locked.bankAccount.linkType !== 'manual') {
    refuseManualOnly(patch)
  }
  const merged = merge(before, patch)
  // Providers say 0 of a card check: that is no fault of who names it.
  if (patch.amount !== undefined) {
    requireAmount(patch.amount)
  }
  requireSpending(merged)
  const book = openBook(locked)
  const spendingAmount = isUntouched(before, merged)
    ? before.spendingAmount
    : reassign(book, before, merged)
  return { settlement: settle(book), transaction: { ...merged, spendingAmount } }
}

function refuseManualOnly(patch: TransactionPatch): void {
  const refusedKeys = MANUAL_ONLY.filter((key) => patch[key] !== undefined)
  if (refusedKeys.length > 0) {
    throw invalid(Object.fromEntries(refusedKeys.map((key) => [key, 'key not expected'])))
  }
}

function merge(before: Transaction, patch: TransactionPatch): Transaction {
  return {
    ...before,
    name: patch.name ?? before.name,
    merchantName: patch.merchantName === '' ? null : (patch.merchantName ?? before.merchantName),
    spendingId: patch.spendingId === undefined ? before.spendingId : patch.spendingId,
    amount: patch.amount ?? before.amount,
    date: patch.date ?? before.date,
    isPending: patch.isPending ?? before.isPending,
  }
}

function isUntouched(before: Transaction, merged: Transaction): boolean {
  return before.spendingId === merged.spendingId && before.amount === merged.amount
}

/** Returns to the old envelope, takes from the new one; answers the new `spendingAmount`. */
function reassign(book: Book, before: Transaction, merged: Transaction): bigint | null {
  const reason = { cause: 'transaction', causeId: merged.transactionId } as const
  giveBack(book, before, reason)
  if (merged.spendingId === null) {
    return null
  }
  const envelope = findEnvelope(book, merged.spendingId)
  if (envelope === null) {
    throw unknownEnvelope()
  }
  return take(book, envelope, { amount: merged.amount, ...reason })
}
