import type { Database } from '@coffer/kit/database'
import { type Amounts, type AsOf, withAmounts } from './plan.ts'
import { findPlans, type PlanScope, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/**
 * Gives plans their envelopes' amounts and contributions: one SELECT, one UPDATE. Amounts that a
 * plan has seen already, or newer ones, change nothing stored. `isStored` is false when somebody
 * else changed a plan at the same time; then the amounts have to be brought again.
 */
export async function storeAmounts(
  database: Database,
  scope: PlanScope,
  amounts: readonly Amounts[],
  asOf: AsOf,
): Promise<{ plans: Map<string, FundedSpending>; isStored: boolean }> {
  const ids = amounts.map(({ spendingId }) => spendingId)
  const byId = new Map(amounts.map((each) => [each.spendingId, each]))
  const before = await findPlans(database, scope, ids)
  const after = before.flatMap((plan) => {
    const newest = byId.get(plan.spendingId)
    return newest ? [withAmounts(plan, newest, asOf)] : []
  })
  const newer = after.filter((plan, index) => plan.amountsVersion !== before[index]?.amountsVersion)
  const savedCount = await savePlans(database.pool, newer)
  return {
    plans: new Map(after.map((plan) => [plan.spendingId, plan])),
    isStored: savedCount === newer.length,
  }
}
