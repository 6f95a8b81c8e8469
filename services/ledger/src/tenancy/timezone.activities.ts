import { findTimezoneChange } from '@coffer/kit/accounts/timezone-change'
import { lockBound } from '@coffer/kit/database/account-bound.sql'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { type Bounds, bankAccountBound } from '../accounts/bounds.sql.ts'
import { beginMove, findUnmoved, moveDates } from '../money/dates.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'mesh' | 'signer'> & { config: Bounds }

const stepsMax = 50

/** Returns the ledger's activity of a change of an account's timezone. */
export function timezoneActivities(deps: Deps) {
  const { database, clock, config } = deps
  return {
    /**
     * Moves the dates of up to 50,000 transactions (docs/account-data.md#a-new-timezone). Returns
     * true when none is left. Idempotent: each step stores its position with its rows.
     */
    moveDates: async (accountId: string): Promise<boolean> => {
      const to = await findTimezoneChange(deps, accountId)
      if (to === null) return true
      await database.transaction(async (tx) => {
        await lockBound(tx, bankAccountBound(config, accountId))
        await beginMove(tx, { accountId, to })
      })
      for (let step = 0; step < stepsMax; step += 1) {
        const bankAccountId = await findUnmoved(database, { accountId, to })
        if (bankAccountId === null) return true
        const key = { accountId, bankAccountId }
        await database.transaction((tx) => moveDates(tx, key, { to, now: clock() }))
      }
      return false
    },
  }
}
