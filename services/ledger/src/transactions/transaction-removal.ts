import { addToBalances } from '../accounts/balance-changes.ts'
import { requireManual, requireWritable } from '../accounts/bank-account.ts'
import { openBook, postKept, type Settlement, settle } from '../money/book.ts'
import { envelopeOf, giveBack } from '../money/spend.ts'
import type { Locked, Transaction } from './transaction.ts'

export type Removal = { adjustsBalance: boolean; soft: boolean }

/** The settlement, and the stamped row to save; null when the row is to be removed. */
export type RemovalDecision = { settlement: Settlement; transaction: Transaction | null }

/**
 * Decides a DELETE (`spec/ledger.md` 4.6, `decisions.md` Ledger). With `adjustsBalance` the current
 * amount returns to the balances and the envelope gets back what it gave, which unassigns the
 * transaction; without it the envelope keeps its deduction. Of one that is deleted already no
 * amount changes again.
 */
export function removeTransaction(
  locked: Locked & { transaction: Transaction },
  { adjustsBalance, soft }: Removal,
): RemovalDecision {
  requireWritable(locked.bankAccount)
  requireManual(locked.bankAccount)
  const before = locked.transaction
  const book = openBook(locked)
  if (before.deletedAt !== null) {
    return { settlement: settle(book), transaction: soft ? before : null }
  }
  const { amount, date, isPending, transactionId } = before
  const after = { ...before, deletedAt: locked.operation.now }
  if (adjustsBalance) {
    const reason = { cause: 'deletion', causeId: transactionId } as const
    addToBalances(book, { amount, date, isPending, ...reason })
    giveBack(book, before, reason)
    after.spendingId = null
    after.spendingAmount = null
  } else {
    const envelope = envelopeOf(book, before)
    if (envelope !== null) {
      postKept(book, envelope, { amount: before.spendingAmount ?? 0n, causeId: transactionId })
    }
  }
  return { settlement: settle(book), transaction: soft ? after : null }
}
