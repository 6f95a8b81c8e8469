import { subtractFromBalances } from '../accounts/balance-changes.ts'
import type { Book } from '../money/book.ts'
import { take } from '../money/spend.ts'
import { type Locked, manualTransaction, type Transaction } from '../transactions/transaction.ts'
import type { Envelope } from './envelope.ts'

/** A transaction of a schedule or an expense; `date` is an instant, `amount` in minor units. */
export type AutomaticTransaction = {
  transactionId: string
  name: string
  amount: bigint
  date: Date
}

/**
 * Books the deposit of a funding schedule: it raises available and current by the absolute value of
 * its negative amount (docs/funding-schedules.md#deposits).
 */
export function bookDeposit(
  book: Book,
  locked: Locked,
  deposit: AutomaticTransaction & { fundingScheduleId: string },
): Transaction {
  adjust(book, deposit)
  return {
    ...manualTransaction(locked, deposit),
    createdByFundingScheduleId: deposit.fundingScheduleId,
  }
}

/**
 * Books the transaction of a due expense: it lowers available and current by its amount. The
 * expense gives min(held, amount) (docs/money.md#funding-and-periods).
 */
export function bookExpense(
  book: Book,
  locked: Locked,
  { envelope, ...due }: AutomaticTransaction & { envelope: Envelope },
): Transaction {
  adjust(book, due)
  const reason = { cause: 'transaction', causeId: due.transactionId } as const
  return {
    ...manualTransaction(locked, due),
    spendingId: envelope.spendingId,
    spendingAmount: take(book, envelope, { amount: due.amount, ...reason }),
    createdBySpendingId: envelope.spendingId,
  }
}

function adjust(book: Book, { amount, transactionId, date }: AutomaticTransaction): void {
  const reason = { cause: 'transaction', causeId: transactionId } as const
  subtractFromBalances(book, { amount, date, isPending: false, ...reason })
}
