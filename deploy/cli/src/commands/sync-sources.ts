import { describeFault as describePlaidFault } from '@coffer/aggregator-sync/provider/plaid-fault'
import { aggregatorSync } from '@coffer/aggregator-sync/service'
import * as aggregatorSyncs from '@coffer/aggregator-sync/syncs/operator.service'
import { feedSync } from '@coffer/feed-sync/service'
import * as feedSyncs from '@coffer/feed-sync/syncs/operator.service'
import type { Database } from '@coffer/kit/database/database'
import type { ServiceDefinition } from '@coffer/kit/service/service'
import type { SyncState } from '@coffer/sync-kit/syncs/sync-state'

interface Words {
  text: string
  advice: string
}

/** A bank account with a fault, and the time, text and advice of the fault. */
type Faulty = Words & { name: string; bankAccountId: string; faultAt: Date | null }

/** State of a link's syncs, with the faults of the link and of its bank accounts. */
export type ReadSync = SyncState & { fault: Words | null; faulty: readonly Faulty[] }

/** A service that syncs links. */
export interface SyncSource {
  definition: ServiceDefinition
  /**
   * Requests a sync of a link for an operator; returns a function that reads the sync's state.
   * `isWhole`: the sync reads all transactions, as each requested sync of a feed does. Returns null
   * if the service does not have the link. Throws refused for a link that cannot be synced.
   */
  request: (
    database: Database,
    linkId: string,
    of: { now: Date; isWhole: boolean },
  ) => Promise<(() => Promise<ReadSync>) | null>
}

/** All services that sync links. */
export const syncSources: readonly SyncSource[] = [
  sourceOf(feedSync, feedSyncs),
  sourceOf(aggregatorSync, {
    ...aggregatorSyncs,
    describeSync: ({ faultCode: code, faultDetail }) =>
      code && describePlaidFault({ code, detail: faultDetail ?? '' }),
    listFaulty: async () => [],
  }),
]

function sourceOf<Key, State extends SyncState>(
  definition: ServiceDefinition,
  syncs: {
    requestByOperator: (
      database: Database,
      linkId: string,
      now: Date,
      of: { isWhole: boolean },
    ) => Promise<Key | null>
    readSync: (database: Database, key: Key) => Promise<State>
    describeSync: (sync: State) => Words | null
    listFaulty: (database: Database, key: Key) => Promise<Faulty[]>
  },
): SyncSource {
  return {
    definition,
    request: async (database, linkId, { now, isWhole }) => {
      const key = await syncs.requestByOperator(database, linkId, now, { isWhole })
      if (key === null) return null
      return async () => {
        const sync = await syncs.readSync(database, key)
        const faulty = await syncs.listFaulty(database, key)
        return { ...sync, fault: syncs.describeSync(sync), faulty }
      }
    },
  }
}
