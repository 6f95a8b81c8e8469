import type { Database } from '@coffer/kit/database/database'
import { findFeedSync, findKeyOfLink, lockFeedSync, saveRequest } from './feed-sync.sql.ts'
import { type FeedSync, type FeedSyncKey, requestFeedSync } from './feed-sync.ts'

/**
 * Requests a sync of a link for an operator, without the limit of 30 minutes; a running server
 * starts it. Returns null if no feed connection has the link. Throws refused for a deactivated one.
 */
export async function requestByOperator(
  database: Database,
  linkId: string,
  now: Date,
): Promise<FeedSyncKey | null> {
  const key = await findKeyOfLink(database, linkId)
  if (!key) return null
  return database.transaction(async (tx) => {
    const sync = await lockFeedSync(tx, key)
    if (!sync) return null
    await saveRequest(tx, requestFeedSync(sync, { now, by: 'operator' }), key)
    return key
  })
}

/** Returns the state of the syncs of a connection; throws if its account was deleted meanwhile. */
export async function readSync(database: Database, key: FeedSyncKey): Promise<FeedSync> {
  const sync = await findFeedSync(database, key)
  if (!sync) throw new Error(`the feed link ${key.feedLinkId} was deleted`)
  return sync
}
