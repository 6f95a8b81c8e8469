import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundingSchedule } from './funding-schedule.ts'

const ScheduleId = FundingSchedule.pick({
  accountId: true,
  bankAccountId: true,
  fundingScheduleId: true,
})
export type ScheduleId = z.infer<typeof ScheduleId>

const Found = z.object({ found: z.boolean() })

/** Whether the schedule has a run that the ledger may not have booked yet. */
export function hasPendingRun(
  { pool }: Database,
  { accountId, bankAccountId, fundingScheduleId }: ScheduleId,
): Promise<boolean> {
  return pool.oneFirst(sql.type(Found)`
    SELECT EXISTS (SELECT FROM funding_runs
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND funding_schedule_id = ${fundingScheduleId} AND state = 'pending') AS found`)
}

/** Schedules hidden before `before` whose rows remain, the oldest first. */
export function listStaleRemovals(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<readonly ScheduleId[]> {
  return pool.any(sql.type(ScheduleId)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId",
      funding_schedule_id AS "fundingScheduleId"
    FROM funding_schedules WHERE deleted_at < ${before.toISOString()}
    ORDER BY deleted_at LIMIT ${limit}`)
}
