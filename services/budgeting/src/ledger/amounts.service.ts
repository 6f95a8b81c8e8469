import { groupsOf } from '@coffer/kit/database/batch'
import { entitiesMax } from '@coffer/kit/events/changes'
import { unavailable } from '@coffer/kit/rpc/errors'
import { type Amounts, changedBy } from '../plans/plan.ts'
import type { PlanScope } from '../plans/spending.ts'
import type { Work } from '../plans/unit-of-work.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { accountTimezone, type SettingsDeps } from '../tenancy/account-settings.client.ts'

type Deps = SettingsDeps & Pick<PlanWriter, 'write'>

/**
 * Gives plans their envelopes' amounts and their contributions. Amounts that a plan has seen
 * already, or newer ones, change nothing.
 */
export async function storeAmounts(
  deps: Deps,
  accountId: string,
  envelopes: readonly (Amounts & { bankAccountId: string })[],
): Promise<void> {
  for (const [bankAccountId, some] of Map.groupBy(envelopes, (one) => one.bankAccountId)) {
    // Changes of older versions carry any number of envelopes: these take a group at a time.
    for (const group of groupsOf(some, entitiesMax)) {
      const work = storing({ accountId, bankAccountId }, group, deps.clock())
      if (await deps.write(work)) continue
      // Identity's answer is kept: from then on the timezone is known.
      await accountTimezone(deps, accountId)
      if (!(await deps.write(work))) throw unavailable('the timezone of an account is not known')
    }
  }
}

/** Replies whether the timezone is known that the contributions are calculated in. */
function storing(scope: PlanScope, amounts: readonly Amounts[], now: Date): Work<boolean> {
  const byId = new Map(amounts.map((one) => [one.spendingId, one]))
  return {
    scope: { ...scope, spendingIds: [...byId.keys()] },
    decide: ({ plans, timezone }) => {
      const behind = plans.filter(({ spendingId, amountsVersion }) => {
        return amountsVersion < (byId.get(spendingId)?.version ?? 0n)
      })
      if (behind.length === 0) return { reply: true }
      if (timezone === null) return { reply: false }
      const asOf = { timezone, now }
      return {
        reply: true,
        plans: behind.flatMap((plan) => changedBy(plan, byId.get(plan.spendingId), asOf)),
      }
    },
  }
}
