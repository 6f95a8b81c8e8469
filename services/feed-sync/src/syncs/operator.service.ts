import type { Database } from '@coffer/kit/database/database'
import { getSync } from '@coffer/sync-kit/syncs/sync-requests.service'
import { describeSyncFault } from '../provider/feed-fault.ts'
import { feedRequests } from './feed-requests.service.ts'
import { feedSyncs, listCandidatesInUse } from './feed-sync.sql.ts'
import { type FeedSync, type FeedSyncKey, isStopped, type LastFault } from './feed-sync.ts'

/** Requests a sync of a link for an operator (`requestByOperator` of sync-kit). */
export function requestByOperator(
  database: Database,
  linkId: string,
  now: Date,
): Promise<FeedSyncKey | null> {
  return feedRequests.requestByOperator(database, linkId, { now })
}

/** Returns the state of the syncs of a connection; throws if its account was deleted meanwhile. */
export function readSync(database: Database, key: FeedSyncKey): Promise<FeedSync> {
  return getSync(feedSyncs, database, key)
}

/** Returns the text and advice of the fault of a connection; null without one. */
export function describeSync(sync: FeedSync): { text: string; advice: string } | null {
  return describe(sync, isStopped(sync))
}

/** Lists the bank accounts of a connection that have a fault, with its time, text and advice. */
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
