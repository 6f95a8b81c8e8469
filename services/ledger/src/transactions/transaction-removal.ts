import { requireManual } from '../accounts/bank-account.ts'
import {
  endOperation,
  moveBalances,
  postKept,
  type Settlement,
  startOperation,
} from '../money/operation.ts'
import { envelopeOf, giveBack } from '../money/spend.ts'
import type { Locked, Transaction } from './transaction.ts'

export type Removal = { adjustsBalance: boolean; soft: boolean }

/**
 * Returns the rows to save for a DELETE (docs/money.md#deletion-of-transactions); `transaction` is
 * null if its row is to be deleted. With `adjustsBalance` the amount returns to the balances and
 * `spendingAmount` to the envelope. A transaction that is soft-deleted already changes no amount.
 */
export function removeTransaction(
  locked: Locked & { transaction: Transaction },
  { adjustsBalance, soft }: Removal,
): { settlement: Settlement; transaction: Transaction | null } {
  requireManual(locked.bankAccount)
  const before = locked.transaction
  const started = startOperation(locked)
  if (before.deletedAt !== null) {
    return { settlement: endOperation(started), transaction: soft ? before : null }
  }
  const { transactionId } = before
  const after = { ...before, deletedAt: locked.operation.now }
  if (adjustsBalance) {
    moveBalances(started, 'deletion', before)
    giveBack(started, before, { cause: 'deletion', causeId: transactionId })
    after.spendingId = null
    after.spendingAmount = null
  } else {
    const envelope = envelopeOf(started, before)
    if (envelope !== null) {
      postKept(started, envelope, { amount: before.spendingAmount ?? 0n, causeId: transactionId })
    }
  }
  return { settlement: endOperation(started), transaction: soft ? after : null }
}
