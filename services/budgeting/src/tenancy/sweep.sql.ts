import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import type { z } from 'zod'
import { FundingSchedule } from '../book/funding-schedule.ts'
import { Spending } from '../book/spending.ts'

const Reserved = Spending.pick({
  accountId: true,
  bankAccountId: true,
  spendingId: true,
  openingAttempts: true,
})
export type Reserved = z.infer<typeof Reserved>

const ScheduleId = FundingSchedule.pick({
  accountId: true,
  bankAccountId: true,
  fundingScheduleId: true,
})

/** Bounds of a batch: rows older than `before`, at most `limit`. */
type Old = { before: Date; limit: number }

/** Lists plans still in state `opening` that were stored before `before`, the oldest first. */
export function listStaleCreations(
  { pool }: Database,
  { before, limit }: Old,
): Promise<readonly Reserved[]> {
  return pool.any(sql.type(Reserved)`
    SELECT ${columnsOf(Reserved, { table: 'spending' })} FROM spending
    WHERE state = 'opening' AND created_at < ${before.toISOString()}
    ORDER BY created_at LIMIT ${limit}`)
}

/** Lists plans created before `before` that still have an idempotency key. */
export function listOldKeys(
  { pool }: Database,
  { before, limit }: Old,
): Promise<readonly Reserved[]> {
  return pool.any(sql.type(Reserved)`
    SELECT ${columnsOf(Reserved, { table: 'spending' })} FROM spending
    WHERE opening_key IS NOT NULL AND created_at < ${before.toISOString()} LIMIT ${limit}`)
}

/** Lists schedules whose deletion began before `before` and is unfinished, the oldest first. */
export function listStaleRemovals(
  { pool }: Database,
  { before, limit }: Old,
): Promise<readonly z.infer<typeof ScheduleId>[]> {
  return pool.any(sql.type(ScheduleId)`
    SELECT ${columnsOf(ScheduleId, { table: 'funding_schedules' })} FROM funding_schedules
    WHERE deleted_at < ${before.toISOString()} ORDER BY deleted_at LIMIT ${limit}`)
}
