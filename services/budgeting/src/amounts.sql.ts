import { createBatcher } from '@coffer/kit/batch'
import { entitiesMax } from '@coffer/kit/changes'
import { inFlightMax } from '@coffer/kit/consumer'
import { accountTimezones, type SettingsDeps } from './account-settings.client.ts'
import { type Amounts, changedBy } from './plan.ts'
import { findPlansOfAll, type PlanKey, type PlanScope, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/** Amounts that an envelope's plan is to be given. */
export type NewAmounts = PlanScope & Amounts

/**
 * Gives a plan its envelope's amounts and its contribution. Amounts that it has seen already, or
 * newer ones, change nothing. False when somebody else changed the plan meanwhile: the amounts have
 * to be brought again.
 */
export type StoreAmounts = (amounts: NewAmounts) => Promise<boolean>

// The messages under way have room for all of their amounts: none is refused.
const batch = { sizeMax: 256, waitingMax: inFlightMax * entitiesMax }

/**
 * What arrives while amounts are being stored shares the next round, whosever it is: one SELECT and
 * one UPDATE for all of it, with the newest amounts of each plan.
 */
export function createAmountsStore(deps: SettingsDeps): StoreAmounts {
  const store = createBatcher<NewAmounts, boolean>(async (_key, amounts) => {
    const newest = newestOf(amounts)
    const found = await findPlansOfAll(deps.database, [...newest.values()])
    const plans = found.filter((plan) => hasNews(plan, newest.get(keyOf(plan))))
    const timezones = await accountTimezones(
      deps,
      plans.map(({ accountId }) => accountId),
    )
    const newer = plans.flatMap((plan) => {
      const asOf = { timezone: timezones.get(plan.accountId) ?? '', now: deps.clock() }
      return changedBy(plan, newest.get(keyOf(plan)), asOf)
    })
    const saved = await savePlans(deps.database.pool, newer)
    const lost = new Set(newer.filter(({ spendingId }) => !saved.has(spendingId)).map(keyOf))
    return amounts.map((one) => ({ status: 'fulfilled', value: !lost.has(keyOf(one)) }))
  }, batch)
  return (amounts) => store('', amounts)
}

function hasNews(plan: FundedSpending, amounts: NewAmounts | undefined): boolean {
  return amounts !== undefined && amounts.version > plan.amountsVersion
}

function newestOf(amounts: NewAmounts[]): Map<string, NewAmounts> {
  const newest = new Map<string, NewAmounts>()
  for (const one of amounts) {
    const known = newest.get(keyOf(one))
    if (!known || known.version < one.version) newest.set(keyOf(one), one)
  }
  return newest
}

function keyOf({ accountId, bankAccountId, spendingId }: PlanKey): string {
  return `${accountId} ${bankAccountId} ${spendingId}`
}
