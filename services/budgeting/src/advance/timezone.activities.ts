import { findTimezoneChange } from '@coffer/kit/accounts/timezone-change'
import { groupsOf } from '@coffer/kit/database/batch'
import type { Transaction } from '@coffer/kit/database/database'
import type { Current } from '../plans/unit-of-work.ts'
import { accountTimezone } from '../tenancy/account-settings.client.ts'
import { listMovable, lockSettings, saveTimezone } from '../tenancy/account-settings.sql.ts'
import { type AdvanceDeps, advanceTogether } from './advance-together.service.ts'
import { movePlans } from './moved-plans.ts'

const bankAccountsAtOnce = 50

/** Returns budgeting's activity of a change of an account's timezone. */
export function timezoneActivities(deps: AdvanceDeps) {
  const { database, clock } = deps
  return {
    /**
     * Books what is due, then moves all plans of the account and its timezone in one transaction
     * (docs/account-data.md#a-new-timezone). Idempotent. Throws unavailable while a firing or due
     * date is not booked.
     */
    movePlans: async (accountId: string): Promise<void> => {
      const to = await findTimezoneChange(deps, accountId)
      const from = await accountTimezone(deps, accountId)
      if (to === null || from === to) return
      const now = clock()
      const started = await listMovable(database.pool, { accountId, now })
      const live = started.filter(({ isLive }) => isLive)
      for (const group of groupsOf(live, bankAccountsAtOnce)) {
        await advanceTogether(deps, group, now)
      }
      const decide = (isLive: boolean) => (current: Current) =>
        movePlans(current, { from, to, isLive, now: clock() })
      const listWorks = async (tx: Transaction) => {
        await lockSettings(tx, accountId)
        const movable = await listMovable(tx, { accountId, now })
        return movable.map(({ isLive, ...key }) => {
          return { scope: { ...key, isWhole: true }, timezone: from, decide: decide(isLive) }
        })
      }
      await deps.writeTogether(listWorks, (tx) => saveTimezone(tx, accountId, to))
    },
  }
}
