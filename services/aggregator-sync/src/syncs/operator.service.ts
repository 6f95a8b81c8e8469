import type { Database } from '@coffer/kit/database/database'
import { getSync } from '@coffer/sync-kit/syncs/sync-requests.service'
import { ensureWholeLoop } from '../connections/aggregator-link.sql.ts'
import type { LinkKey } from '../connections/aggregator-link.ts'
import { itemRequests } from './item-requests.service.ts'
import { itemSyncs } from './item-sync.sql.ts'
import type { ItemSync } from './item-sync.ts'

/**
 * Requests a sync of a link for an operator (`requestByOperator` of sync-kit). With `isWhole` it
 * reads all transactions (docs/banks/aggregator.md#changes).
 */
export function requestByOperator(
  database: Database,
  linkId: string,
  now: Date,
  { isWhole = false } = {},
): Promise<LinkKey | null> {
  return itemRequests.requestByOperator(database, linkId, {
    now,
    also: async (tx, key) => {
      if (isWhole) await ensureWholeLoop(tx, key, now)
    },
  })
}

/** Returns the state of the syncs of a link; throws if its account was deleted meanwhile. */
export function readSync(database: Database, key: LinkKey): Promise<ItemSync> {
  return getSync(itemSyncs, database, key)
}
