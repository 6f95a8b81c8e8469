import { type Book, postBalance } from '../money/book.ts'
import type { Reason } from '../money/journal.ts'

/**
 * The effect of a transaction on the stored balances; a positive amount leaves the account. `date`
 * is its day: a file may state a balance for an earlier instant, which does not include it.
 */
type Adjustment = Reason & { amount: bigint; isPending: boolean; date: Date }

/** Deducts a new transaction: available always, current unless it is pending (docs/money.md). */
export function subtractFromBalances(book: Book, change: Adjustment): void {
  moveBalances(book, change, -change.amount)
}

/**
 * Returns a deleted transaction: available always, current unless it is pending (docs/money.md).
 */
export function addToBalances(book: Book, change: Adjustment): void {
  moveBalances(book, change, change.amount)
}

/** Stated balances in minor units; a missing key keeps its balance. */
export type NewBalances = Partial<Record<'available' | 'current' | 'limit', bigint>>

/** Sets the stated balances and journals the differences. */
export function setBalances(book: Book, change: Reason & { to: NewBalances }): void {
  const { cause, causeId, to } = change
  const { availableBalance, currentBalance, limitBalance } = book.bankAccount
  const held = { available: availableBalance, current: currentBalance, limit: limitBalance }
  for (const pot of ['available', 'current', 'limit'] as const) {
    const amount = to[pot]
    if (amount !== undefined) {
      postBalance(book, { pot, delta: amount - held[pot], cause, causeId })
    }
  }
}

function moveBalances(book: Book, adjustment: Adjustment, delta: bigint): void {
  const { cause, causeId, date, isPending } = adjustment
  postBalance(book, { pot: 'available', delta, cause, causeId, date })
  if (!isPending) {
    postBalance(book, { pot: 'current', delta, cause, causeId, date })
  }
}
