import type { Transaction as Tx } from '@coffer/kit/database'
import { sql } from 'slonik'
import type { PlanScope } from './spending.sql.ts'
import { FundedSpending } from './spending.ts'

const FundingOfPlan = FundedSpending.pick({
  fundingScheduleId: true,
  fundingRuleset: true,
  fundingExcludesWeekends: true,
  fundingNextRecurrence: true,
})
export type FundingOfPlan = Pick<FundedSpending, keyof typeof FundingOfPlan.shape>

/**
 * What decides when schedules fire, kept as it is until the transaction ends: the named one, and
 * that of the plan. To be taken before plans are locked.
 */
export function shareSchedules(
  tx: Tx,
  { accountId, bankAccountId }: PlanScope,
  of: { fundingScheduleId: string | null; spendingId: string | null },
): Promise<readonly FundingOfPlan[]> {
  return tx.any(sql.type(FundingOfPlan)`
    SELECT funding_schedule_id AS "fundingScheduleId", ruleset AS "fundingRuleset",
      exclude_weekends AS "fundingExcludesWeekends", next_recurrence AS "fundingNextRecurrence"
    FROM funding_schedules
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
      AND funding_schedule_id IN (${of.fundingScheduleId}, (
        SELECT funding_schedule_id FROM spending
        WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
          AND spending_id = ${of.spendingId}))
    ORDER BY funding_schedule_id FOR SHARE`)
}
