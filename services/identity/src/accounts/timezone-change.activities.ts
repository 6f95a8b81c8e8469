import type { ServiceDeps } from '@coffer/kit/service/service'
import { startTimezoneChange } from './timezone-change.consumer.ts'
import { completeTimezone, listTimezoneChanges } from './timezone-change.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'> & { config: { billed: boolean } }

const pageSize = 200
const graceMs = 30_000

/** Returns identity's activities of the change of a timezone; each can be repeated. */
export function timezoneChangeActivities({ database, workflows, config }: Deps) {
  return {
    completeTimezone: (accountId: string): Promise<void> =>
      completeTimezone({ database, billed: config.billed }, accountId),
    /**
     * Restarts a page of unfinished changes. Returns the page's last account ID, null after the
     * last page.
     */
    restartTimezoneChanges: async (after: string): Promise<string | null> => {
      const before = new Date((await database.now()).getTime() - graceMs)
      const accountIds = await listTimezoneChanges(database, { before, after, limit: pageSize })
      for (const accountId of accountIds) await startTimezoneChange(workflows, accountId)
      return accountIds.at(pageSize - 1) ?? null
    },
  }
}
