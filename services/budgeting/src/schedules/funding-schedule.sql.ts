import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import type { BankAccountKey } from '../plans/spending.ts'
import { FundingSchedule } from './funding-schedule.ts'

const columns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

/** Schedules of a bank account that are not deleted, ordered by ID. */
export function listFundingSchedules(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<readonly FundingSchedule[]> {
  return pool.any(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
    ORDER BY funding_schedule_id`)
}

/** The schedule with this ID; null if it is missing or deleted. */
export function findFundingSchedule(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  fundingScheduleId: string,
): Promise<FundingSchedule | null> {
  return pool.maybeOne(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId} AND deleted_at IS NULL`)
}
