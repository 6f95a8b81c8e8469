import { lesser } from '@coffer/kit/values/money'
import { requireWritable } from '../accounts/bank-account.ts'
import { atLeastZero } from '../money/money.ts'
import {
  endOperation,
  findEnvelope,
  moveBalances,
  postHeld,
  type Settlement,
  type StartedOperation,
  startOperation,
  touch,
} from '../money/operation.ts'
import { type Locked, manualTransaction, type Transaction } from '../transactions/transaction.ts'
import { progressOf } from './envelope.ts'

/**
 * The transaction of a funding run or a due expense; `date` is an instant, `amount` in minor units.
 */
export type AutomaticTransaction = Pick<Transaction, 'transactionId' | 'amount' | 'date'> & {
  name: string
}

/** An envelope of a run: the amount for it, and the bound of its progress; both in minor units. */
export type FundingLine = { spendingId: string; amount: bigint; ceiling: bigint }

/** A run of a funding schedule, decided by budgeting; it has a deposit on a manual link only. */
export type FundingRun = {
  fundingScheduleId: string
  lines: readonly FundingLine[]
  deposit: AutomaticTransaction | null
}

/** The rows to save for a run or the end of a period. */
export type ScheduledDecision = { settlement: Settlement; transaction: Transaction | null }

/**
 * Decides a funding run as one operation: the deposit, then the lines. The deposit raises available
 * and current by the absolute value of its negative amount (docs/funding-schedules.md#deposits).
 */
export function applyFunding(locked: Locked, run: FundingRun): ScheduledDecision {
  requireWritable(locked.bankAccount)
  const started = startOperation(locked)
  const transaction = run.deposit && bookAutomatic(started, locked, run.deposit)
  if (transaction) transaction.createdByFundingScheduleId = run.fundingScheduleId
  fund(started, run)
  return { settlement: endOperation(started), transaction }
}

/** Creates the transaction of a run or a due expense, and changes the balances by its amount. */
export function bookAutomatic(
  started: StartedOperation,
  locked: Locked,
  automatic: AutomaticTransaction,
): Transaction {
  const transaction = manualTransaction(locked, automatic)
  moveBalances(started, 'transaction', transaction)
  return transaction
}

/**
 * Funds envelopes. A line gives min(amount, ceiling − progress), at least 0: progress may have
 * grown since budgeting decided. Closed envelopes are skipped (docs/money.md#funding-and-periods).
 */
function fund(
  started: StartedOperation,
  run: { fundingScheduleId: string; lines: readonly FundingLine[] },
): void {
  for (const line of run.lines) {
    const envelope = findEnvelope(started, line.spendingId)
    if (envelope === null) continue
    const room = atLeastZero(line.ceiling - progressOf(envelope))
    const delta = lesser(atLeastZero(line.amount), room)
    touch(started, envelope)
    postHeld(started, envelope, { delta, cause: 'funding', causeId: run.fundingScheduleId })
  }
}
