import { isTransient } from '@coffer/kit/errors'
import type { ServiceDeps } from '@coffer/kit/service'
import { dueBankAccounts } from './advance.sql.ts'
import { advanceBankAccount } from './advance-bank-account.activities.ts'
import type { settings } from './config.ts'

/** Large, as finding a page looks at everything that is due. */
const pageSize = 1000

/** Where a page of bank accounts ended, for the next; null after the last. */
export interface AdvancedPage {
  next: { accountId: string; bankAccountId: string } | null
  failed: number
}

/** The activities of the hourly `advance` (design 4). */
export function advanceActivities(deps: ServiceDeps<typeof settings>) {
  return {
    /**
     * Advances a page of due bank accounts; `now` is RFC 3339, without it the clock's. One that
     * fails does not hold up the others: it is counted, and still due.
     */
    advancePage: async ({
      now: nowText,
      after,
    }: {
      now: string | null
      after: AdvancedPage['next']
    }): Promise<AdvancedPage> => {
      const now = nowText === null ? deps.clock() : new Date(nowText)
      const start = after ?? { accountId: '', bankAccountId: '' }
      const page = await dueBankAccounts(deps.database, { now, after: start, limit: pageSize })
      let failed = 0
      await inTurns(page, deps.config.advancedAtOnce, async (scope) => {
        try {
          await advanceBankAccount(deps, scope, now)
        } catch (error) {
          failed += 1
          deps.log.error({ err: error, ...scope, transient: isTransient(error) }, 'not advanced')
        }
      })
      return { next: page.length < pageSize ? null : (page.at(-1) ?? null), failed }
    },
  }
}

/** Does work on all items, on so many at the same time. */
async function inTurns<Item>(
  items: readonly Item[],
  atOnce: number,
  work: (item: Item) => Promise<void>,
): Promise<void> {
  const waiting = items.values()
  const worker = async () => {
    for (const item of waiting) await work(item)
  }
  await Promise.all(Array.from({ length: atOnce }, worker))
}
