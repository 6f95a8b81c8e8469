import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs } from '@coffer/kit/values/time'
import type { settings } from '../config.ts'
import { releaseConnection } from '../links/feed-link.activities.ts'
import { deleteAbandoned, listLongLapsed } from './clean-up.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'clock'>

const pageSize = 200
const abandonedMs = dayMs
const lapsedMs = 90 * dayMs

/**
 * Returns the Temporal activities that end connections (docs/banks/feed.md#connections). They do
 * nothing while the feed is disabled.
 */
export function cleanUpActivities({ config, database, clock }: Deps) {
  const before = async (ms: number) => new Date((await database.now()).getTime() - ms)
  return {
    /** Deletes up to 200 connections that are pending for over a day; returns their number. */
    deleteAbandonedLinks: async (): Promise<number> => {
      if (!config.feedEnabled) return 0
      return deleteAbandoned(database, { before: await before(abandonedMs), limit: pageSize })
    },
    /**
     * Deactivates the connections of accounts that lapsed over 90 days ago, as after the deletion
     * of their links, whose data is kept. Handles the page after the key `after` (empty: the first
     * page) and returns its last key, null after the last page.
     */
    deactivateLapsedLinks: async (after: string[]): Promise<string[] | null> => {
      if (!config.feedEnabled) return null
      const lapsed = await listLongLapsed(database, {
        before: await before(lapsedMs),
        after,
        limit: pageSize,
      })
      for (const key of lapsed) await releaseConnection({ database, clock }, key)
      const last = lapsed.at(pageSize - 1)
      return last ? [last.accountId, last.feedLinkId] : null
    },
  }
}
