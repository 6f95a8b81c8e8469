import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs } from '@coffer/kit/values/time'
import type { SyncState } from '../syncs/sync-state.ts'
import type { LinkKey, SyncStore } from '../syncs/sync-store.sql.ts'

const pageSize = 200
const lapsedMs = 90 * dayMs

/**
 * Returns the activity that ends the connections of accounts that lapsed over 90 days ago. It keeps
 * their data, as after the deletion of a link. It handles the page after the key `after` (empty:
 * the first page) and returns its last key, null after the last page. It does nothing while the
 * provider is disabled.
 */
export function endLapsed<
  Sync extends SyncState,
  Key extends LinkKey & Record<Id, string>,
  Id extends string,
>(
  { database }: Pick<ServiceDeps, 'database'>,
  of: {
    store: SyncStore<Sync, Key, Id>
    isEnabled: boolean
    end: (key: Key) => Promise<void>
  },
): (after: string[]) => Promise<string[] | null> {
  return async (after) => {
    if (!of.isEnabled) return null
    const before = new Date((await database.now()).getTime() - lapsedMs)
    const lapsed = await of.store.listLongLapsed(database, { before, after, limit: pageSize })
    for (const key of lapsed) await of.end(key)
    const last = lapsed.at(pageSize - 1)
    return last ? [last.accountId, last[of.store.links.id]] : null
  }
}
