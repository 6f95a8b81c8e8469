import type { ServiceDeps } from '@coffer/kit/service/service'
import { dayMs } from '@coffer/kit/values/time'
import { endLapsed } from '@coffer/sync-kit/life/lapsed-links.activities'
import type { settings } from '../config.ts'
import { releaseConnection } from '../links/feed-link.activities.ts'
import { feedSyncs } from '../syncs/feed-sync.sql.ts'
import { deleteAbandoned } from './clean-up.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'clock'>

const pageSize = 200
const abandonedMs = dayMs

/**
 * Returns the Temporal activities that end connections (docs/banks/feed.md#connections). They do
 * nothing while the feed is disabled.
 */
export function cleanUpActivities(deps: Deps) {
  const { config, database } = deps
  return {
    /**
     * Deletes up to 200 connections that have been pending for over a day; returns their number.
     */
    deleteAbandonedLinks: async (): Promise<number> => {
      if (!config.feedEnabled) return 0
      const before = new Date((await database.now()).getTime() - abandonedMs)
      return deleteAbandoned(database, { before, limit: pageSize })
    },
    deactivateLapsedLinks: endLapsed(deps, {
      store: feedSyncs,
      isEnabled: config.feedEnabled,
      end: (key) => releaseConnection(deps, key),
    }),
  }
}
