import type { Database, Transaction as Tx } from '@coffer/kit/database'
import { assignmentsOf, columnsOf } from '@coffer/kit/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { FundingSchedule } from './funding-schedule.ts'
import type { PlanScope } from './spending.sql.ts'

const Scope = z.object({ accountId: z.string(), bankAccountId: z.string() })
const scheduleColumns = columnsOf(FundingSchedule, { table: 'funding_schedules' })

/**
 * Bank accounts with something due at `now` or a run that is not booked, in the order of their
 * accounts and IDs after `after`; none that has ended, and none whose subscription has lapsed.
 */
export function dueBankAccounts(
  { pool }: Database,
  { now, after, limit }: { now: Date; after: PlanScope; limit: number },
): Promise<readonly PlanScope[]> {
  const instant = now.toISOString()
  return pool.any(sql.type(Scope)`
    SELECT account_id AS "accountId", bank_account_id AS "bankAccountId" FROM (
      SELECT account_id, bank_account_id FROM funding_schedules
      WHERE next_recurrence <= ${instant} AND last_recurrence IS DISTINCT FROM next_recurrence
        AND deleted_at IS NULL
      UNION
      SELECT account_id, bank_account_id FROM spending
      WHERE next_recurrence <= ${instant} AND last_recurrence IS DISTINCT FROM next_recurrence
        AND state = 'open' AND NOT is_paused
      UNION
      SELECT account_id, bank_account_id FROM funding_runs WHERE state = 'pending'
    ) AS due
    WHERE (account_id, bank_account_id) > (${after.accountId}, ${after.bankAccountId})
      AND NOT EXISTS (SELECT FROM ended_bank_accounts AS ended
        WHERE ended.account_id = due.account_id AND ended.bank_account_id = due.bank_account_id)
      AND NOT EXISTS (SELECT FROM account_settings AS settings
        WHERE settings.account_id = due.account_id
          AND settings.subscription_active_until <= ${instant})
    ORDER BY account_id, bank_account_id LIMIT ${limit}`)
}

/** The schedule, locked; null when it is gone. */
export function lockSchedule(
  tx: Tx,
  { accountId, bankAccountId }: PlanScope,
  fundingScheduleId: string,
): Promise<FundingSchedule | null> {
  return tx.maybeOne(sql.type(FundingSchedule)`
    SELECT ${scheduleColumns} FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND funding_schedule_id = ${fundingScheduleId} AND deleted_at IS NULL
    FOR NO KEY UPDATE`)
}

export async function saveDates(tx: Tx, schedule: FundingSchedule): Promise<void> {
  const dates = ['lastRecurrence', 'nextRecurrence', 'nextRecurrenceOriginal'] as const
  await tx.query(sql.unsafe`
    UPDATE funding_schedules SET ${assignmentsOf(schedule, dates)}
    WHERE account_id = ${schedule.accountId} AND bank_account_id = ${schedule.bankAccountId}
      AND funding_schedule_id = ${schedule.fundingScheduleId}`)
}
