import { describeFault as describePlaidFault } from '@coffer/aggregator-sync/provider/plaid-fault'
import { aggregatorSync } from '@coffer/aggregator-sync/service'
import * as aggregatorSyncs from '@coffer/aggregator-sync/syncs/operator.service'
import { describeFault } from '@coffer/feed-sync/provider/feed-fault'
import { feedSync } from '@coffer/feed-sync/service'
import * as feedSyncs from '@coffer/feed-sync/syncs/operator.service'
import type { Database } from '@coffer/kit/database/database'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import type { SyncState } from '@coffer/kit/syncs/sync-state'

/** State of a link's syncs, with the words of its fault. */
export type ReadSync = SyncState & { fault: { text: string; advice: string } | null }

/** A service that syncs links. */
export interface SyncSource {
  definition: ServiceDefinition
  /**
   * Requests a sync of a link for an operator; returns a function that reads its state. Returns
   * null if the service has no such link. Throws refused for a link that cannot be synced.
   */
  request: (
    database: Database,
    linkId: string,
    now: Date,
  ) => Promise<(() => Promise<ReadSync>) | null>
}

/** All services that sync links. */
export const syncSources: readonly SyncSource[] = [
  sourceOf(feedSync, feedSyncs, describeFault),
  sourceOf(aggregatorSync, aggregatorSyncs, describePlaidFault),
]

function sourceOf<Key, Code extends string>(
  definition: ServiceDefinition,
  syncs: {
    requestByOperator: (database: Database, linkId: string, now: Date) => Promise<Key | null>
    readSync: (database: Database, key: Key) => Promise<SyncState & { faultCode: Code | null }>
  },
  describe: (fault: { code: Code; detail: string }) => { text: string; advice: string },
): SyncSource {
  return {
    definition,
    request: async (database, linkId, now) => {
      const key = await syncs.requestByOperator(database, linkId, now)
      if (key === null) return null
      return async () => {
        const sync = await syncs.readSync(database, key)
        const { faultCode: code, faultDetail } = sync
        return { ...sync, fault: code && describe({ code, detail: faultDetail ?? '' }) }
      }
    },
  }
}
