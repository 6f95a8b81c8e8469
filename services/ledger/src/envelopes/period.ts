import { lesser } from '@coffer/kit/values/money'
import { requireWritable } from '../accounts/bank-account.ts'
import {
  type Book,
  findEnvelope,
  openBook,
  postHeld,
  postUsed,
  settle,
  touch,
} from '../money/book.ts'
import { atLeastZero } from '../money/money.ts'
import { take } from '../money/spend.ts'
import type { Locked } from '../transactions/transaction.ts'
import type { Envelope } from './envelope.ts'
import { type AutomaticTransaction, bookAutomatic, type ScheduledDecision } from './funding.ts'

/**
 * Closes an envelope: the held amount returns to free-to-use, and the row stays as a tombstone. The
 * save clears it from its transactions (docs/money.md#funding-and-periods).
 */
export function closeEnvelope(book: Book, envelope: Envelope): void {
  const reason = { cause: 'envelope-closed', causeId: envelope.spendingId } as const
  touch(book, envelope)
  postHeld(book, envelope, { delta: -envelope.currentAmount, ...reason })
  postUsed(book, envelope, { delta: -envelope.usedAmount, ...reason })
  envelope.periodSpent = 0n
  envelope.closedAt = book.operation.now
}

/** The end of a period, decided by budgeting; a transaction only on a manual link. */
export type PeriodEnd = {
  spendingId: string
  targetAmount: bigint
  carryOver: boolean
  transaction: AutomaticTransaction | null
}

/**
 * Decides the end of a period: the automatic transaction first, for which the envelope gives
 * min(held, amount), then the rest of the target returns. Does nothing if the envelope is closed
 * (docs/money.md#funding-and-periods).
 */
export function endPeriod(locked: Locked, end: PeriodEnd): ScheduledDecision {
  requireWritable(locked.bankAccount)
  const book = openBook(locked)
  const envelope = findEnvelope(book, end.spendingId)
  if (envelope === null) return { settlement: settle(book), transaction: null }
  const transaction = end.transaction && bookAutomatic(book, locked, end.transaction)
  if (transaction) {
    const { amount, transactionId: causeId } = transaction
    transaction.spendingId = end.spendingId
    transaction.spendingAmount = take(book, envelope, { amount, cause: 'transaction', causeId })
    transaction.createdBySpendingId = end.spendingId
  }
  closePeriod(book, envelope, end)
  return { settlement: settle(book), transaction }
}

/**
 * Returns the rest of this period's target to free-to-use: min(held, max(0, target − periodSpent)).
 * Money for later periods stays; with `carryOver` all of it. Then `periodSpent` is 0
 * (docs/money.md#funding-and-periods).
 */
function closePeriod(
  book: Book,
  envelope: Envelope,
  period: { targetAmount: bigint; carryOver: boolean },
): void {
  const unspent = atLeastZero(period.targetAmount - envelope.periodSpent)
  const returned = period.carryOver ? 0n : lesser(envelope.currentAmount, unspent)
  touch(book, envelope)
  const causeId = envelope.spendingId
  postHeld(book, envelope, { delta: -returned, cause: 'period-closed', causeId })
  envelope.periodSpent = 0n
}
