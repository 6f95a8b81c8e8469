import type { Transaction } from '@coffer/client/types'
import { transactionWords as words } from '../../../words/transactions.ts'

/** Returns whether a payment waits until its user chooses an envelope or none. */
export function isWaiting({
  amount,
  spendingId,
  staysFree = false,
}: Pick<Transaction, 'amount' | 'spendingId' | 'staysFree'>): boolean {
  return amount > 0 && spendingId === null && !staysFree
}

/** Returns the line below the name in the list: state, kind and note; empty without any. */
export function lineBelow({
  isPending,
  refundSpendingId,
  notes,
}: Pick<Transaction, 'isPending' | 'refundSpendingId' | 'notes'>): string {
  const kind = refundSpendingId === undefined ? '' : words.isRefund
  return [isPending ? words.pending : '', kind, notes ?? ''].filter(Boolean).join(' · ')
}
