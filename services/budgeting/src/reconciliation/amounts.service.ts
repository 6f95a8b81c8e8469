import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { groupsOf } from '@coffer/kit/database/batch'
import { entitiesMax } from '@coffer/kit/events/changes'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { type Amounts, withAmounts } from '../plans/plan.ts'
import type { Work } from '../plans/unit-of-work.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { accountTimezone, type SettingsDeps } from '../tenancy/account-settings.client.ts'

type Deps = SettingsDeps & Pick<PlanWriter, 'write'>

/**
 * Updates the plans of envelopes whose amounts are newer than those in the plans, and recalculates
 * their contributions. Throws notFound for a removed bank account, and unavailable if the account's
 * timezone cannot be found.
 */
export async function storeAmounts(
  deps: Deps,
  accountId: string,
  envelopes: readonly (Amounts & { bankAccountId: string })[],
): Promise<void> {
  for (const [bankAccountId, some] of Map.groupBy(envelopes, (one) => one.bankAccountId)) {
    // until 0.4: stored events from before 0.2.0 may list more than `entitiesMax` envelopes; the
    // envelopes of newer ones are one group.
    for (const group of groupsOf(some, entitiesMax)) {
      const work = updateAmounts({ accountId, bankAccountId }, group, deps.clock())
      if (await deps.write(work)) continue
      // The write needs a timezone that is not stored yet: accountTimezone stores it.
      await accountTimezone(deps, accountId)
      if (!(await deps.write(work))) throw unavailable(say('TIMEZONE_UNKNOWN'))
    }
  }
}

/** Returns the `Work` that replaces older amounts of plans; it replies false without a timezone. */
function updateAmounts(
  scope: BankAccountKey,
  amounts: readonly Amounts[],
  now: Date,
): Work<boolean> {
  const byId = new Map(amounts.map((one) => [one.spendingId, one]))
  return {
    scope: { ...scope, spendingIds: [...byId.keys()] },
    decide: ({ plans, timezone }) => {
      const behind = plans.filter(({ spendingId, amountsVersion }) => {
        return amountsVersion < (byId.get(spendingId)?.version ?? 0n)
      })
      if (behind.length === 0) return { reply: true }
      if (timezone === null) return { reply: false }
      return {
        reply: true,
        isKnown: true,
        plans: behind.map((plan) =>
          withAmounts(plan, byId.get(plan.spendingId), { timezone, now }),
        ),
      }
    },
  }
}
