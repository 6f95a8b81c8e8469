import { groupsOf } from '@coffer/kit/database/batch'
import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { SyncRequests } from './sync-requests.service.ts'
import type { SyncState } from './sync-state.ts'
import type { LinkKey, SyncStore } from './sync-store.sql.ts'

const pageSize = 200
// Duty cycle: two starts at once, for 2 % of the time. This is about three syncs per second, two
// while the event loop lags, so that many due syncs do not delay requests.
const atOnce = 2
const share = 0.02
// Minimum age of a requested or begun sync that the sweep starts again: the workflow of a younger
// one is normally running. A start of a running workflow only makes it check for a request at its
// end.
const graceMs = 30_000

/**
 * Returns the Temporal activities that start syncs by schedule (docs/events.md#sweeps). Each
 * handles the page after the key `after` (empty: the first page) and returns its last key, null
 * after the last page. They leave out accounts that have lapsed or are being deleted, and do
 * nothing while the provider is disabled.
 */
export function syncSweeps<
  Sync extends SyncState,
  Key extends LinkKey & Record<Id, string>,
  Id extends string,
>(
  deps: Pick<ServiceDeps, 'database' | 'workflows'>,
  of: {
    store: SyncStore<Sync, Key, Id>
    requests: Pick<SyncRequests<Key>, 'start'>
    isEnabled: boolean
  },
) {
  const { database } = deps
  const { store, requests, isEnabled } = of
  const startAll = async (keys: readonly Key[]) => {
    using pace = createPace({ share })
    const groups = groupsOf(keys, atOnce)
    for (const group of groups) {
      const startGroup = () => Promise.all(group.map((key) => requests.start(deps, key)))
      await (group === groups.at(-1) ? startGroup() : pace.run(startGroup))
    }
  }
  const keyOf = (link: Key) => [link.accountId, link[store.links.id]]
  return {
    startDueSyncs: async (after: string[]): Promise<string[] | null> => {
      if (!isEnabled) return null
      const now = await database.now()
      const due = await store.listDue(database, { now, after, limit: pageSize })
      const last = due.at(pageSize - 1)
      await startAll(due)
      return last ? [last.dueAt, ...keyOf(last)] : null
    },
    /** Starts requested syncs whose event was lost, and syncs that Temporal lost. */
    restartSyncs: async (after: string[]): Promise<string[] | null> => {
      if (!isEnabled) return null
      const now = await database.now()
      const page = { now, after, limit: pageSize, before: new Date(now.getTime() - graceMs) }
      const unfinished = await store.listUnfinished(database, page)
      const last = unfinished.at(pageSize - 1)
      await startAll(unfinished)
      return last ? keyOf(last) : null
    },
  }
}
