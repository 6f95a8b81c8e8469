import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { columnsOf, insertOf } from '@coffer/kit/rows'
import { sql } from 'slonik'
import { FundingSchedule } from './funding-schedule.ts'

const columns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

/** Schedules of a bank account, by ID. */
export function listFundingSchedules(
  { pool }: Database,
  accountId: string,
  bankAccountId: string,
): Promise<readonly FundingSchedule[]> {
  return pool.any(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    ORDER BY funding_schedule_id`)
}

export function findFundingSchedule(
  { pool }: Database,
  accountId: string,
  { bankAccountId, fundingScheduleId }: { bankAccountId: string; fundingScheduleId: string },
): Promise<FundingSchedule | null> {
  return pool.maybeOne(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId}`)
}

/** Throws UniqueIntegrityConstraintViolationError when the bank account has one of that name. */
export async function insertFundingSchedule(tx: Tx, schedule: FundingSchedule): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('funding_schedules', FundingSchedule, schedule)}`)
}
