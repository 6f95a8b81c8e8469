import { subtractFromBalances } from '../accounts/balance-changes.ts'
import type { Book } from '../money/book.ts'
import { take } from '../money/spend.ts'
import { type Locked, manualTransaction, type Transaction } from '../transactions/transaction.ts'
import type { Envelope } from './envelope.ts'

/** What a schedule or an expense asks for; `date` is an instant, amounts are minor units. */
export type AutomaticTransaction = {
  transactionId: string
  name: string
  amount: bigint
  date: Date
}

/**
 * The deposit that a funding schedule makes: it raises both balances by what arrived, that is by
 * the negative of its negative amount (`spec/budgeting.md` 7.1).
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
 * The transaction that an expense makes when it is due: it lowers both balances by its amount and
 * is assigned to the expense, which gives what it can (`spec/budgeting.md` 7.3).
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
