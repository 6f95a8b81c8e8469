import type { Database } from '@coffer/kit/database/database'
import { ensureWholeLoop } from '../connections/aggregator-link.sql.ts'
import type { LinkKey } from '../connections/aggregator-link.ts'
import { findItemSync, findKeyOfLink, requestSyncOf } from './item-sync.sql.ts'
import type { ItemSync } from './item-sync.ts'

/**
 * Requests a sync of a link for an operator, without the limit of 30 minutes; a running server
 * starts it. With `isWhole` it reads all transactions (docs/banks/aggregator.md#changes). Returns
 * null for an unknown link. Throws refused for a deactivated one.
 */
export async function requestByOperator(
  database: Database,
  linkId: string,
  now: Date,
  { isWhole = false } = {},
): Promise<LinkKey | null> {
  const key = await findKeyOfLink(database, linkId)
  if (!key) return null
  await database.transaction(async (tx) => {
    await requestSyncOf(tx, key, { now, by: 'operator' })
    if (isWhole) await ensureWholeLoop(tx, key, now)
  })
  return key
}

/** Returns the state of the syncs of a link; throws if its account was deleted meanwhile. */
export async function readSync(database: Database, key: LinkKey): Promise<ItemSync> {
  const sync = await findItemSync(database, key)
  if (!sync) throw new Error(`the link ${key.linkId} was deleted`)
  return sync
}
