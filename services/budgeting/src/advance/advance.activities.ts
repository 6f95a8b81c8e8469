import { type BankAccountKey, keyOf } from '@coffer/kit/database/aggregate-key'
import { isTransient } from '@coffer/kit/rpc/errors'
import { isOutage, knownError } from '@coffer/kit/rpc/fault'
import { createPace } from '@coffer/kit/service/pace'
import { countPlans } from '../plans/spending.sql.ts'
import { type DueRow, listDue } from './advance.sql.ts'
import { type AdvanceDeps, advanceTogether } from './advance-together.service.ts'

const pageSize = 250

/**
 * Result of one page. `next` is the cursor of the next page (`dueAt` in RFC 3339), null after the
 * last page. `failed` is the number of bank accounts that failed.
 */
export interface AdvancedPage {
  next: { dueAt: string; accountId: string; bankAccountId: string } | null
  failed: number
}

/** Returns the activities of the hourly workflow `advance` (docs/hourly-job.md). */
export function advanceActivities(deps: AdvanceDeps) {
  return {
    /**
     * Books what is due in the bank accounts of one page. `now` is RFC 3339, null for the time of
     * the database. Failed bank accounts are counted and stay due. Idempotent.
     */
    advancePage: async ({
      now: nowText,
      after,
    }: {
      now: string | null
      after: AdvancedPage['next']
    }): Promise<AdvancedPage> => {
      const now = nowText === null ? await deps.database.now() : new Date(nowText)
      const start = after && { ...after, dueAt: new Date(after.dueAt) }
      const due = await listDue(deps.database, { now, after: start, limit: pageSize })
      using pace = createPace({ share: deps.config.advanceShare })
      let failed = 0
      for (const group of await formGroups(deps, due)) {
        failed += await pace.run(() => advanceGroup(deps, group, now))
      }
      const last = due.at(pageSize - 1)
      return { next: last ? { ...last, dueAt: last.dueAt.toISOString() } : null, failed }
    },
  }
}

const plansAtOnceMax = 200

/**
 * Groups bank accounts that are advanced together: at most `advancedAtOnce` in a group, and at most
 * 200 plans unless a single bank account has more.
 */
async function formGroups(
  { database, config }: AdvanceDeps,
  due: readonly DueRow[],
): Promise<BankAccountKey[][]> {
  const distinct = new Map(due.map((one) => [keyOf(one), one]))
  const scopes = await countPlans(database, [...distinct.values()])
  const groups: BankAccountKey[][] = []
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
 * Books what is due in a group of bank accounts together; after an error, in each of them alone.
 * Returns the number of failed bank accounts. Throws if all bank accounts of a larger group than
 * one fail by an outage, since other groups would fail as well.
 */
async function advanceGroup(
  deps: AdvanceDeps,
  group: readonly BankAccountKey[],
  now: Date,
): Promise<number> {
  try {
    await advanceTogether(deps, group, now)
    return 0
  } catch (error) {
    deps.log.info(
      { err: error, bankAccounts: group.length },
      'advance of a group failed, retrying its bank accounts one by one',
    )
  }
  const errors: unknown[] = []
  for (const scope of group) {
    try {
      await advanceTogether(deps, [scope], now)
    } catch (error) {
      errors.push(error)
      deps.log.error(
        { err: error, ...scope, transient: isTransient(knownError(error)) },
        'bank account not advanced',
      )
    }
  }
  if (group.length > 1 && errors.length === group.length && errors.every(isOutage)) throw errors[0]
  return errors.length
}
