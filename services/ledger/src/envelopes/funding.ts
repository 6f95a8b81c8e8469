import { lesser } from '@coffer/kit/values/money'
import { requireWritable } from '../book/bank-account.ts'
import { progressOf } from '../book/envelope.ts'
import { atLeastZero } from '../book/money.ts'
import type { Transaction } from '../book/transaction.ts'
import {
  deltasOf,
  endOperation,
  findEnvelope,
  type Locked,
  moveBalances,
  postHeld,
  type Settlement,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { manualTransaction } from '../transactions/transaction-creation.ts'

/** A transaction that the hourly job creates; `amount` in minor units, `date` an instant. */
export type AutomaticTransaction = Pick<Transaction, 'transactionId' | 'amount' | 'date'> & {
  name: string
}

/** One envelope of a funding run: it gets `amount`, at most up to `ceiling` (both minor units). */
export type FundingLine = { spendingId: string; amount: bigint; ceiling: bigint }

/**
 * One firing of a funding schedule, at the instant `occurrence`, which the journal stores.
 * `deposit` is null unless the link is of type manual.
 */
export type FundingRun = {
  fundingScheduleId: string
  lines: readonly FundingLine[]
  occurrence?: Date | undefined
  deposit: AutomaticTransaction | null
}

/** The rows to save for a funding run or the end of an expense's period. */
export type ScheduledDecision = { settlement: Settlement; transaction: Transaction | null }

/** Returns the rows to save for a funding run: its deposit first, then money for its envelopes. */
export function applyFunding(locked: Locked, run: FundingRun): ScheduledDecision {
  requireWritable(locked.bankAccount)
  const started = startOperation(locked)
  const transaction = run.deposit && bookAutomatic(started, locked, run.deposit)
  if (transaction) transaction.createdByFundingScheduleId = run.fundingScheduleId
  fund(started, run)
  return { settlement: endOperation(started), transaction }
}

/** Creates the transaction of a funding run or due expense, and posts it to the balances. */
export function bookAutomatic(
  started: StartedOperation,
  locked: Locked,
  automatic: AutomaticTransaction,
): Transaction {
  const transaction = manualTransaction(locked, automatic)
  moveBalances(started, 'transaction', transaction, deltasOf(transaction))
  return transaction
}

/**
 * Moves min(amount, ceiling − progress), at least 0, into each open envelope of a funding run:
 * progress may have grown since budgeting decided (docs/money.md#funding-and-periods).
 */
function fund(
  started: StartedOperation,
  { fundingScheduleId: causeId, lines, occurrence: date }: FundingRun,
): void {
  for (const line of lines) {
    const envelope = findEnvelope(started, line.spendingId)
    if (envelope === null) continue
    const room = atLeastZero(line.ceiling - progressOf(envelope))
    const delta = lesser(atLeastZero(line.amount), room)
    postHeld(started, envelope, { delta, cause: 'funding', causeId, date })
  }
}
