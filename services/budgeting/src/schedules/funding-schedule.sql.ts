import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare, read } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundingSchedule, type ScheduleKey } from '../book/funding-schedule.ts'

const columns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

const presentSchedules = prepare(
  ['accountId', 'bankAccountId'],
  ({ accountId, bankAccountId }) => read(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
    ORDER BY funding_schedule_id`,
)

/** Lists the schedules of a bank account that are not deleted, ordered by ID. */
export function listFundingSchedules(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<readonly FundingSchedule[]> {
  return pool.any(presentSchedules({ accountId, bankAccountId }))
}

/** Maximum number of schedules in an overview (docs/limits.md). */
const paydaysMax = 20

/** A plan as a JSON object, with the fields that a forecast needs. */
const PaydayPlan = z.object({
  spendingId: z.string(),
  fundingScheduleId: z.string(),
  ruleset: z.string().nullable(),
  nextRecurrence: z.coerce.date(),
  settledFor: z.coerce.date().nullable(),
  // JSON numbers are exact, as amounts are within ±(2^53 − 1).
  targetAmount: z.coerce.bigint(),
  currentAmount: z.coerce.bigint(),
  usedAmount: z.coerce.bigint(),
  periodSpentAmount: z.coerce.bigint(),
  graceAmount: z.coerce.bigint(),
  graceUntil: z.coerce.date().nullable(),
  autoCreateTransaction: z.boolean(),
  nextContributionAmount: z.coerce.bigint(),
  calculatedAt: z.coerce.date(),
})
const Payday = FundingSchedule.extend({ plans: z.array(PaydayPlan) })
export type Payday = z.infer<typeof Payday>

/**
 * Lists the schedules of these bank accounts that fire again, the next firing first, with the plans
 * that they fund. The amounts of the plans are the ledger's as of their last calculation.
 */
export function listPaydays(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<readonly Payday[]> {
  return pool.any(sql.type(Payday)`
    SELECT ${columns}, coalesce((
      SELECT jsonb_agg(jsonb_build_object(
        'spendingId', spending_id, 'fundingScheduleId', funding_schedule_id, 'ruleset', ruleset,
        'nextRecurrence', next_recurrence, 'settledFor', settled_for,
        'targetAmount', target_amount, 'currentAmount', current_amount, 'usedAmount', used_amount,
        'periodSpentAmount', period_spent_amount, 'graceAmount', grace_amount,
        'graceUntil', grace_until, 'autoCreateTransaction', auto_create_transaction,
        'nextContributionAmount', next_contribution_amount, 'calculatedAt', calculated_at))
      FROM spending
      WHERE spending.account_id = funding_schedules.account_id
        AND spending.bank_account_id = funding_schedules.bank_account_id
        AND spending.funding_schedule_id = funding_schedules.funding_schedule_id
        AND state = 'open' AND NOT is_paused
    ), '[]') AS plans
    FROM funding_schedules
    WHERE account_id = ${accountId}
      AND bank_account_id = ANY(${sql.array([...bankAccountIds], 'text')})
      AND last_recurrence IS DISTINCT FROM next_recurrence AND deleted_at IS NULL
    ORDER BY next_recurrence, funding_schedule_id LIMIT ${paydaysMax}`)
}

/** Returns the schedule with this ID; null if it is missing or deleted. */
export function findFundingSchedule(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  fundingScheduleId: string,
): Promise<FundingSchedule | null> {
  return pool.maybeOne(read(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId} AND deleted_at IS NULL`)
}

const Found = z.object({ found: z.boolean() })

/** Returns whether a schedule has a pending funding run, which the ledger may not have booked. */
export function hasPendingRun(
  { pool }: Database,
  { accountId, bankAccountId, fundingScheduleId }: ScheduleKey,
): Promise<boolean> {
  return pool.oneFirst(sql.type(Found)`
    SELECT EXISTS (SELECT FROM funding_runs
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND funding_schedule_id = ${fundingScheduleId} AND state = 'pending') AS found`)
}
