import type { Database, Transaction as Tx } from '@coffer/kit/database'
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

/** Whether a plan is on the schedule, one that is not open yet included. */
export function isInUse(tx: Tx, schedule: ScheduleId): Promise<boolean> {
  return tx.oneFirst(sql.type(Found)`
    SELECT EXISTS (SELECT FROM spending WHERE ${named(schedule)}) AS found`)
}

/** Hides the schedule for good: it is found no more, fires no more and its name is free. */
export async function hideSchedule(tx: Tx, schedule: ScheduleId, now: Date): Promise<void> {
  await tx.query(sql.unsafe`
    UPDATE funding_schedules SET deleted_at = ${now.toISOString()} WHERE ${named(schedule)}`)
}

/** Whether the ledger may still be booking what the schedule has decided. */
export function hasPendingRun({ pool }: Database, schedule: ScheduleId): Promise<boolean> {
  return pool.oneFirst(sql.type(Found)`
    SELECT EXISTS (SELECT FROM funding_runs
      WHERE ${named(schedule)} AND state = 'pending') AS found`)
}

/** Removes a schedule that is hidden. */
export async function removeSchedule({ pool }: Database, schedule: ScheduleId): Promise<void> {
  await pool.query(sql.unsafe`
    DELETE FROM funding_schedules WHERE ${named(schedule)} AND deleted_at IS NOT NULL`)
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

function named({ accountId, bankAccountId, fundingScheduleId }: ScheduleId) {
  return sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}
    AND funding_schedule_id = ${fundingScheduleId}`
}
