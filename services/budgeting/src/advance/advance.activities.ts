import { isTransient } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import { createPace } from '@coffer/kit/service/pace'
import { countPlans } from '../plans/spending.sql.ts'
import type { PlanScope } from '../plans/spending.ts'
import { type DueRow, listDue } from './advance.sql.ts'
import { type AdvanceDeps, advanceTogether } from './advance-together.activities.ts'

const pageSize = 250

/** Where a page of what is due ended (RFC 3339 and IDs), for the next; null after the last. */
export interface AdvancedPage {
  next: { dueAt: string; accountId: string; bankAccountId: string } | null
  failed: number
}

/** The activities of the hourly `advance` (design 4). */
export function advanceActivities(deps: AdvanceDeps) {
  return {
    /**
     * Advances the bank accounts of a page of what is due; `now` is RFC 3339, without it the
     * clock's. One that fails does not hold up the others: it is counted, and still due. What a
     * page that was killed has done is not due any more when it is begun again.
     */
    advancePage: async ({
      now: nowText,
      after,
    }: {
      now: string | null
      after: AdvancedPage['next']
    }): Promise<AdvancedPage> => {
      const now = nowText === null ? deps.clock() : new Date(nowText)
      const start = after && { ...after, dueAt: new Date(after.dueAt) }
      const due = await listDue(deps.database, { now, after: start, limit: pageSize })
      using pace = createPace({ share: deps.config.advanceShare })
      let failed = 0
      for (const group of await groupsOf(deps, due)) {
        failed += await pace.run(() => advanceGroup(deps, group, now))
      }
      const last = due.at(pageSize - 1)
      return { next: last ? { ...last, dueAt: last.dueAt.toISOString() } : null, failed }
    },
  }
}

const plansAtOnceMax = 200

/**
 * Bank accounts that are advanced together: each once, and so few that their plans are a small
 * piece of work, unless one alone has more.
 */
async function groupsOf(
  { database, config }: AdvanceDeps,
  due: readonly DueRow[],
): Promise<PlanScope[][]> {
  const distinct = new Map(due.map((one) => [`${one.accountId} ${one.bankAccountId}`, one]))
  const scopes = await countPlans(database, [...distinct.values()])
  const groups: PlanScope[][] = []
  let planCount = plansAtOnceMax
  for (const { plans, ...scope } of scopes) {
    const last = groups.at(-1)
    planCount += plans
    if (last && planCount <= plansAtOnceMax && last.length < config.advancedAtOnce) {
      last.push(scope)
    } else {
      groups.push([scope])
      planCount = plans
    }
  }
  return groups
}

/**
 * Advances bank accounts together, or where that fails each alone; returns how many failed. Throws
 * where all of them fail for something that is away: then the others would as well.
 */
async function advanceGroup(
  deps: AdvanceDeps,
  group: readonly PlanScope[],
  now: Date,
): Promise<number> {
  try {
    await advanceTogether(deps, group, now)
    return 0
  } catch (error) {
    deps.log.info({ err: error, bankAccounts: group.length }, 'going on one by one')
  }
  const errors: unknown[] = []
  for (const scope of group) {
    try {
      await advanceTogether(deps, [scope], now)
    } catch (error) {
      errors.push(error)
      deps.log.error({ err: error, ...scope, transient: isTransient(error) }, 'not advanced')
    }
  }
  if (group.length > 1 && errors.length === group.length && errors.every(isOutage)) throw errors[0]
  return errors.length
}
