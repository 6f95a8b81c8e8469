import { groupsOf } from '@coffer/kit/database/batch'
import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type LinkKey,
  listDueSyncs,
  listUnfinishedSyncs,
  type SweptLinks,
} from './swept-links.sql.ts'

const pageSize = 200
// Two starts at once, for 2 % of the time: about three syncs in a second, two while the event loop
// lags, so that syncs that are due at once leave room for requests.
const atOnce = 2
const share = 0.02
// Minimum age of a request or a sync to start: normally its workflow runs. A start of a running
// workflow only makes it look for another request when it ends.
const graceMs = 30_000

/**
 * Returns the Temporal activities that start syncs by schedule (docs/events.md#sweeps). Each
 * handles the page after the key `after` (empty: the first page) and returns its last key, null
 * after the last page. They leave out accounts that have lapsed or are being deleted, and do
 * nothing while the provider is disabled.
 */
export function syncSweeps<Key extends LinkKey>(
  { database }: Pick<ServiceDeps, 'database'>,
  of: { links: SweptLinks<Key>; isEnabled: boolean; start: (key: Key) => Promise<void> },
) {
  const { links, isEnabled, start } = of
  const startAll = async (keys: readonly Key[]) => {
    using pace = createPace({ share })
    const groups = groupsOf(keys, atOnce)
    for (const group of groups) {
      const startGroup = () => Promise.all(group.map(start))
      await (group === groups.at(-1) ? startGroup() : pace.run(startGroup))
    }
  }
  const keyOf = (link: Key) => links.primaryKey.map((field) => `${link[field]}`)
  return {
    /** Starts the syncs that are due. */
    startDueSyncs: async (after: string[]): Promise<string[] | null> => {
      if (!isEnabled) return null
      const now = await database.now()
      const due = await listDueSyncs(database, links, { now, after, limit: pageSize })
      const last = due.at(pageSize - 1)
      await startAll(due)
      return last ? [last.dueAt, ...keyOf(last)] : null
    },
    /** Starts requested syncs whose event was lost, and syncs that Temporal lost. */
    restartSyncs: async (after: string[]): Promise<string[] | null> => {
      if (!isEnabled) return null
      const now = await database.now()
      const page = { now, after, limit: pageSize, before: new Date(now.getTime() - graceMs) }
      const unfinished = await listUnfinishedSyncs(database, links, page)
      const last = unfinished.at(pageSize - 1)
      await startAll(unfinished)
      return last ? keyOf(last) : null
    },
  }
}
