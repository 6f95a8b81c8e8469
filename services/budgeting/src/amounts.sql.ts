import { createBatcher } from '@coffer/kit/batch'
import type { Database } from '@coffer/kit/database'
import { type Amounts, type AsOf, withAmounts } from './plan.ts'
import { findPlans, type PlanScope, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/** Plans with the amounts that were brought, by spending ID. */
export interface StoredAmounts {
  plans: Map<string, FundedSpending>
  /** False when somebody else changed a plan meanwhile: the amounts have to be brought again. */
  isStored: boolean
}

interface Work {
  scope: PlanScope
  amounts: readonly Amounts[]
  asOf: AsOf
  /** Of the call: aborted while its turn has not come, nothing is stored for it. */
  signal?: AbortSignal
}

/**
 * Gives plans their envelopes' amounts and contributions: one SELECT, one UPDATE. Amounts that a
 * plan has seen already, or newer ones, change nothing stored.
 */
export type StoreAmounts = (work: Work) => Promise<StoredAmounts>

const batch = { sizeMax: 64, waitingMax: 1024 }

/**
 * What arrives for a bank account while its plans are being stored shares the next round: the
 * newest amounts are stored, and each is answered with the plan as of its own.
 */
export function createAmountsStore(database: Database): StoreAmounts {
  const store = createBatcher<Work, StoredAmounts>(async (_key, works) => {
    const values = await storeTogether(database, works)
    return values.map((value) => ({ status: 'fulfilled', value }))
  }, batch)
  return (work) => store(`${work.scope.accountId} ${work.scope.bankAccountId}`, work, work.signal)
}

async function storeTogether(database: Database, works: Work[]): Promise<StoredAmounts[]> {
  const newest = newestOf(works)
  const [first] = works
  if (!first) return []
  const before = await findPlans(database, first.scope, [...newest.keys()])
  const newer = before.flatMap((plan) => {
    const work = newest.get(plan.spendingId)
    const after = work && withAmounts(plan, work.amounts, work.asOf)
    return after && after.amountsVersion !== plan.amountsVersion ? [after] : []
  })
  const isStored = (await savePlans(database.pool, newer)) === newer.length
  const plans = new Map(before.map((plan) => [plan.spendingId, plan]))
  const stored = new Map(newer.map((plan) => [plan.spendingId, plan]))
  return works.map(({ amounts, asOf }) => ({
    isStored,
    plans: new Map(
      amounts.flatMap((each) => {
        const plan = plans.get(each.spendingId)
        const after = stored.get(each.spendingId)
        if (!plan) return []
        const isNewest = after?.amountsVersion === each.version
        return [[each.spendingId, isNewest ? after : withAmounts(plan, each, asOf)]]
      }),
    ),
  }))
}

function newestOf(works: Work[]): Map<string, { amounts: Amounts; asOf: AsOf }> {
  const newest = new Map<string, { amounts: Amounts; asOf: AsOf }>()
  for (const { amounts, asOf } of works) {
    for (const each of amounts) {
      const known = newest.get(each.spendingId)
      if (!known || known.amounts.version < each.version) {
        newest.set(each.spendingId, { amounts: each, asOf })
      }
    }
  }
  return newest
}
