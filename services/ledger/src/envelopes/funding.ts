import { lesser } from '@coffer/kit/values/money'
import { requireWritable } from '../accounts/bank-account.ts'
import {
  type Book,
  findEnvelope,
  openBook,
  postHeld,
  type Settlement,
  settle,
  touch,
} from '../money/book.ts'
import { atLeastZero } from '../money/money.ts'
import type { Locked, Transaction } from '../transactions/transaction.ts'
import { type AutomaticTransaction, bookDeposit } from './automatic.ts'
import { progressOf } from './envelope.ts'

/** What one run of a schedule gives one envelope, in minor units, decided beforehand. */
export type FundingLine = { spendingId: string; amount: bigint; ceiling: bigint }

/** A run of a schedule, decided by budgeting; the deposit only on a manual link. */
export type FundingRun = {
  fundingScheduleId: string
  lines: readonly FundingLine[]
  deposit: AutomaticTransaction | null
}

/** What a booked run or period leaves to be saved. */
export type ScheduledDecision = { settlement: Settlement; transaction: Transaction | null }

/** Decides a funding run: the deposit, then the lines; all of it one operation. */
export function applyFunding(locked: Locked, run: FundingRun): ScheduledDecision {
  requireWritable(locked.bankAccount)
  const book = openBook(locked)
  const { deposit, fundingScheduleId } = run
  let transaction: Transaction | null = null
  if (deposit !== null) {
    transaction = bookDeposit(book, locked, { ...deposit, fundingScheduleId })
  }
  fund(book, run)
  return { settlement: settle(book), transaction }
}

/**
 * Books the lines of one funding run: each envelope gets its amount, but its progress is never
 * lifted above the ceiling. Closed envelopes are skipped (design: the hourly advance).
 */
function fund(book: Book, run: { fundingScheduleId: string; lines: readonly FundingLine[] }): void {
  for (const line of run.lines) {
    const envelope = findEnvelope(book, line.spendingId)
    if (envelope === null) {
      continue
    }
    const room = atLeastZero(line.ceiling - progressOf(envelope))
    const delta = lesser(atLeastZero(line.amount), room)
    touch(book, envelope)
    postHeld(book, envelope, { delta, cause: 'funding', causeId: run.fundingScheduleId })
  }
}
