import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate, timestampFromMs } from '@bufbuild/protobuf/wkt'
import { localDay, startOfDay } from '@coffer/kit/values/day'
import type { BookingSchema } from '@coffer/proto/ledger/v1/scheduled'
import type { FundingRun, RunLine } from '../book/funding-run.ts'
import type { FundedSpending } from '../book/spending.ts'
import { isSettled } from '../contributions/due-dates.ts'

/** A request to book one operation in the ledger: a funding, or the end of an expense's period. */
export type Booking = MessageInitShape<typeof BookingSchema>

/** Returns the booking of a funding run. The ledger uses the run's ID as idempotency key. */
export function createRunBooking(
  run: FundingRun,
  { lines, timezone }: { lines: readonly RunLine[]; timezone: string },
): Booking {
  const { accountId, bankAccountId, fundingRunId, fundingScheduleId } = run
  const deposit = createDepositMessage(run)
  return {
    accountId,
    timezone,
    operation: {
      case: 'funding',
      value: {
        bankAccountId,
        fundingRunId,
        fundingScheduleId,
        lines: [...lines],
        occurrence: timestampFromDate(run.occurrence),
        ...(deposit ? { deposit } : {}),
      },
    },
  }
}

function createDepositMessage({
  depositTransactionId,
  depositName,
  depositAmount,
  occurrence,
}: FundingRun) {
  return depositTransactionId === null || depositName === null || depositAmount === null
    ? null
    : {
        transactionId: depositTransactionId,
        name: depositName,
        amount: depositAmount,
        date: timestampFromDate(occurrence),
      }
}

/**
 * Returns the booking of a due date, null for a goal (docs/hourly-job.md#due-dates). The booking of
 * a settled bill keeps all money and pays nothing. The idempotency key in the ledger consists of
 * spending ID and due date.
 */
export function createDueBooking(
  { accountId, bankAccountId, spendingId, name, targetAmount, ...plan }: FundedSpending,
  by: { isManualLink: boolean; carryOver: boolean; transactionId: string; timezone: string },
): Booking | null {
  const { isManualLink, carryOver, transactionId, timezone } = by
  if (plan.spendingType === 'goal') return null
  const isPaid = isSettled(plan)
  const due = timestampFromDate(plan.nextRecurrence)
  const transaction = { transactionId, name, amount: targetAmount, date: due }
  const value = {
    bankAccountId,
    spendingId,
    due,
    targetAmount,
    carryOver: (plan.carryOver ?? carryOver) || isPaid,
    ...(plan.graceDays > 0 && !isPaid
      ? { graceUntil: timestampFromMs(graceEnd(plan, timezone)) }
      : {}),
    ...(plan.autoCreateTransaction && isManualLink && !isPaid ? { transaction } : {}),
  }
  return { accountId, timezone, operation: { case: 'periodEnd', value } }
}

/**
 * Returns the instant (ms) at which the grace, the `graceDays` after a due date, ends: the midnight
 * after its last day.
 */
function graceEnd(plan: Pick<FundedSpending, 'nextRecurrence' | 'graceDays'>, timezone: string) {
  const day = localDay(plan.nextRecurrence.getTime(), timezone)
  return startOfDay(day + plan.graceDays + 1, timezone)
}

/**
 * Returns the booking of the end of a plan's grace, null if no grace is running. The idempotency
 * key in the ledger consists of the spending ID and the end of the grace.
 */
export function createGraceBooking(
  plan: FundedSpending,
  { carryOver, timezone }: { carryOver: boolean; timezone: string },
): Booking | null {
  const { accountId, bankAccountId, spendingId, graceUntil, lastRecurrence } = plan
  if (graceUntil === null) return null
  const value = {
    bankAccountId,
    spendingId,
    graceUntil: timestampFromDate(graceUntil),
    carryOver: plan.carryOver ?? carryOver,
    ...(lastRecurrence ? { due: timestampFromDate(lastRecurrence) } : {}),
  }
  return { accountId, timezone, operation: { case: 'graceEnd', value } }
}
