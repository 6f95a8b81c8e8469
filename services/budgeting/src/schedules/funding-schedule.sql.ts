import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import type { PlanScope } from '../plans/spending.ts'
import { FundingSchedule } from './funding-schedule.ts'

const columns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

/** Schedules of a bank account, by ID. */
export function listFundingSchedules(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
): Promise<readonly FundingSchedule[]> {
  return pool.any(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
    ORDER BY funding_schedule_id`)
}

export function findFundingSchedule(
  { pool }: Database,
  { accountId, bankAccountId }: PlanScope,
  fundingScheduleId: string,
): Promise<FundingSchedule | null> {
  return pool.maybeOne(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId} AND deleted_at IS NULL`)
}
