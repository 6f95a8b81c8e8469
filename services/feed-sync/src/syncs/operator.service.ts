import type { Database } from '@coffer/kit/database/database'
import { describeSyncFault } from '../provider/feed-fault.ts'
import {
  findFeedSync,
  findKeyOfLink,
  listCandidatesInUse,
  lockFeedSync,
  saveRequest,
} from './feed-sync.sql.ts'
import {
  type FeedSync,
  type FeedSyncKey,
  isStopped,
  type LastFault,
  requestFeedSync,
} from './feed-sync.ts'

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

/** Returns the words of the fault of a connection; null without one. */
export function describeSync(sync: FeedSync): { text: string; advice: string } | null {
  return describe(sync, isStopped(sync))
}

/** Lists the bank accounts of a connection that have a fault: when they met it, and its words. */
export async function listFaulty(database: Database, key: FeedSyncKey) {
  const sync = await readSync(database, key)
  const used = await listCandidatesInUse(database, key)
  return used.flatMap((candidate) => {
    const { name, bankAccountId, faultAt } = candidate
    const words = describe(candidate, isStopped(sync, candidate))
    return words && bankAccountId !== null ? [{ name, bankAccountId, faultAt, ...words }] : []
  })
}

function describe({ faultCode, faultDetail }: LastFault, isEnded: boolean) {
  if (faultCode === null) return null
  const fault = { code: faultCode, detail: faultDetail ?? '' }
  return describeSyncFault(fault, { isStopped: isEnded })
}
