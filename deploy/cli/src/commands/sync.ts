import { setTimeout as sleep } from 'node:timers/promises'
import { describeFault } from '@coffer/feed-sync/provider/feed-fault'
import { feedSync } from '@coffer/feed-sync/service'
import type { FeedSync, FeedSyncKey } from '@coffer/feed-sync/syncs/feed-sync'
import { readSync, requestByOperator } from '@coffer/feed-sync/syncs/operator.service'
import type { Database } from '@coffer/kit/database/database'
import type { Environment } from '@coffer/kit/service/config'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { ConnectError } from '@connectrpc/connect'
import { createServiceDatabase } from '../databases.ts'
import { readConfig } from '../environment.ts'
import { requireTables } from '../tables.ts'

const pollMs = 1_000
const limitMsDefault = 300_000

/**
 * `coffer sync`: asks a running server for a sync of a feed link, waits for its end unless `wait`
 * is false, and prints what arrived. Returns 1 if the sync fails. Throws FatalError for a link that
 * cannot be synced, and when the sync has not ended after `limitMs`, by default five minutes.
 */
export async function syncLink(
  options: { linkId: string; wait: boolean; limitMs?: number },
  env: Environment,
): Promise<number> {
  const { linkId, wait, limitMs = limitMsDefault } = options
  const config = readConfig(env)
  await requireTables([feedSync], config)
  await using database = await createServiceDatabase(feedSync, config)
  const requestedAt = new Date()
  const key = await request(database, linkId, requestedAt)
  if (!wait) {
    console.log('requested: a running server starts the sync')
    return 0
  }
  const deadline = performance.now() + limitMs
  for (;;) {
    const sync = await readSync(database, key)
    if (hasEnded(sync, requestedAt)) return show(sync, requestedAt)
    if (performance.now() > deadline) {
      const seconds = limitMs / 1000
      throw new FatalError(`The sync has not ended after ${seconds} s: is a server running?`)
    }
    await sleep(pollMs)
  }
}

/** Requests a sync. Throws FatalError for an unknown link, and one that cannot be synced. */
async function request(database: Database, linkId: string, now: Date): Promise<FeedSyncKey> {
  try {
    const key = await requestByOperator(database, linkId, now)
    if (!key) throw new FatalError(`No feed link has the link ${linkId}.`)
    return key
  } catch (error) {
    throw error instanceof ConnectError ? new FatalError(`${error.rawMessage}.`) : error
  }
}

/** Whether the requested sync has ended. One that Coffer could not finish stays requested. */
function hasEnded({ syncRunId, requestedAt, faultAt }: FeedSync, since: Date): boolean {
  return syncRunId === null && (requestedAt === null || isAfter(faultAt, since))
}

/** Prints how the sync ended; returns the exit code. */
function show(sync: FeedSync, since: Date): number {
  if (isAfter(sync.lastSuccessfulUpdate, since)) {
    const { addedCount: added, changedCount: changed, matchedCount: matched } = sync
    const { removedCount: removed, skippedCount: skipped } = sync
    const counts = Object.entries({ added, changed, matched, removed, skipped })
    console.log(counts.map(([name, count]) => `${name} ${count}`).join(', '))
    return 0
  }
  if (sync.faultCode === null || !isAfter(sync.faultAt, since)) {
    console.error('Nothing was synced: the link was deleted.')
    return 1
  }
  const { text, advice } = describeFault({ code: sync.faultCode, detail: sync.faultDetail ?? '' })
  console.error(`${text}\n${advice}`)
  return 1
}

const isAfter = (time: Date | null, since: Date) => time !== null && time >= since
