import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/values/id'
import type { BookingSchema } from '@coffer/proto/ledger/v1/scheduled'
import type { FundedSpending } from '../plans/spending.ts'
import type { FundingRun, RunLine } from './funding-run.ts'

/** What the ledger books: a run of a schedule, or the end of an expense's period. */
export type Booking = MessageInitShape<typeof BookingSchema>

/** The booking of a run; repeated, it has the same name. */
export function bookingOfRun(run: FundingRun, lines: readonly RunLine[]): Booking {
  const { accountId, bankAccountId, fundingRunId, fundingScheduleId } = run
  const deposit = depositOf(run)
  const value = { bankAccountId, fundingRunId, fundingScheduleId, lines: [...lines] }
  return {
    accountId,
    operation: { case: 'funding', value: { ...value, ...(deposit ? { deposit } : {}) } },
  }
}

function depositOf({ depositTransactionId, depositName, depositAmount, occurrence }: FundingRun) {
  return depositTransactionId === null || depositName === null || depositAmount === null
    ? null
    : {
        transactionId: depositTransactionId,
        name: depositName,
        amount: depositAmount,
        date: timestampFromDate(occurrence),
      }
}

/** The booking of a due date; repeated, it has the same name. Null for a goal: it books nothing. */
export function bookingOfDue(
  { accountId, bankAccountId, spendingId, name, targetAmount, ...plan }: FundedSpending,
  { isManualLink, carryOver }: { isManualLink: boolean; carryOver: boolean },
): Booking | null {
  if (plan.spendingType === 'goal') return null
  const due = timestampFromDate(plan.nextRecurrence)
  const transaction = { transactionId: newId('txn'), name, amount: targetAmount, date: due }
  const value = {
    ...{ bankAccountId, spendingId, due, targetAmount, carryOver },
    ...(plan.autoCreateTransaction && isManualLink ? { transaction } : {}),
  }
  return { accountId, operation: { case: 'periodEnd', value } }
}
