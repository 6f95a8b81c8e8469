import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { read } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundingSchedule, type ScheduleKey } from '../book/funding-schedule.ts'

const columns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

/** Lists the schedules of a bank account that are not deleted, ordered by ID. */
export function listFundingSchedules(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
): Promise<readonly FundingSchedule[]> {
  return pool.any(read(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
    ORDER BY funding_schedule_id`)
}

/** Schedules that an overview has at most (docs/limits.md). */
const paydaysMax = 20

/** Lists the schedules of these bank accounts that fire again, the next firing first. */
export function listPaydays(
  { pool }: Database,
  accountId: string,
  bankAccountIds: readonly string[],
): Promise<readonly FundingSchedule[]> {
  return pool.any(sql.type(FundingSchedule)`
    SELECT ${columns} FROM funding_schedules
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
