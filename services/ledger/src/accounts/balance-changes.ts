import { type Book, postBalance } from '../money/book.ts'
import type { Reason } from '../money/journal.ts'

/**
 * What a transaction is worth to the stored balances; positive amounts leave the account. `date` is
 * the transaction's day: a balance that a file states for an earlier instant lacks it.
 */
type Adjustment = Reason & { amount: bigint; isPending: boolean; date: Date }

/** Takes a new transaction off the balances; a pending one off available only (`ledger.md` 3.2). */
export function subtractFromBalances(book: Book, change: Adjustment): void {
  moveBalances(book, change, -change.amount)
}

/** Adds a deleted transaction back; a pending one to available only (`decisions.md` Ledger). */
export function addToBalances(book: Book, change: Adjustment): void {
  moveBalances(book, change, change.amount)
}

/** New values for stored balances, in minor units; what is not named stays. */
export type NewBalances = Partial<Record<'available' | 'current' | 'limit', bigint>>

/** Sets balances to given values, booking the differences. */
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
