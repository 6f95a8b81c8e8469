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

/** Whether the ledger may still be booking what the schedule has decided. */
export function hasPendingRun(
  { pool }: Database,
  { accountId, bankAccountId, fundingScheduleId }: ScheduleId,
): Promise<boolean> {
  return pool.oneFirst(sql.type(Found)`
    SELECT EXISTS (SELECT FROM funding_runs
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND funding_schedule_id = ${fundingScheduleId} AND state = 'pending') AS found`)
}

/** Schedules whose removal has stopped half-way, oldest first. */
export function staleRemovals(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<readonly ScheduleId[]> {
  return pool.any(sql.type(ScheduleId)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId",
      funding_schedule_id AS "fundingScheduleId"
    FROM funding_schedules WHERE deleted_at < ${before.toISOString()}
    ORDER BY deleted_at LIMIT ${limit}`)
}
