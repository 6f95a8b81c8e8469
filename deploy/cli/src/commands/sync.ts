import { setTimeout as sleep } from 'node:timers/promises'
import type { Environment } from '@coffer/host/settings'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { ConnectError } from '@connectrpc/connect'
import { createServiceDatabase } from '../process/databases.ts'
import { requireTables } from '../process/tables.ts'
import { type Config, readConfig } from '../settings/environment.ts'
import { type ReadSync, syncSources } from './sync-sources.ts'

const pollMs = 250
const limitMsDefault = 300_000

/**
 * `coffer sync`: requests a sync of a link from a running server, waits for its end unless `wait`
 * is false, and prints its counts. With `whole` the sync reads all transactions. Returns 1 if it
 * fails, or leaves out a bank account. Throws FatalError for a link that cannot be synced, and when
 * the sync has not ended after `limitMs`, by default five minutes.
 */
export async function syncLink(
  options: { linkId: string; wait: boolean; whole?: boolean; limitMs?: number },
  env: Environment,
): Promise<number> {
  const { linkId, wait, whole: isWhole = false, limitMs = limitMsDefault } = options
  const config = readConfig(env)
  await requireTables(
    syncSources.map(({ definition }) => definition),
    config,
  )
  const requestedAt = new Date()
  await using sync = await request(config, linkId, { now: requestedAt, isWhole })
  if (!wait) {
    console.log('requested: a running server starts the sync')
    return 0
  }
  const deadline = performance.now() + limitMs
  for (;;) {
    const state = await sync.read()
    if (hasEnded(state, requestedAt)) return show(state, requestedAt)
    if (performance.now() > deadline) {
      const seconds = limitMs / 1000
      throw new FatalError(
        `The sync has not ended after ${seconds} s. Check that a server runs, and that its ` +
          'settings have COFFER_FEED_ENABLED=true, or COFFER_AGGREGATOR_ENABLED=true for a link ' +
          'of Plaid.',
      )
    }
    await sleep(pollMs)
  }
}

/** Requests a sync. Throws FatalError for an unknown link, and one that cannot be synced. */
async function request(
  config: Config,
  linkId: string,
  of: { now: Date; isWhole: boolean },
): Promise<AsyncDisposable & { read: () => Promise<ReadSync> }> {
  for (const source of syncSources) {
    await using stack = new AsyncDisposableStack()
    const database = stack.use(await createServiceDatabase(source.definition, config))
    const read = await source.request(database, linkId, of).catch((error: unknown) => {
      throw error instanceof ConnectError ? new FatalError(`${error.rawMessage}.`) : error
    })
    if (read === null) continue
    const open = stack.move()
    return { read, [Symbol.asyncDispose]: () => open.disposeAsync() }
  }
  throw new FatalError(`No link that syncs has the ID ${linkId}.`)
}

/**
 * Returns whether the requested sync has ended. After an outage of Coffer the sync stays requested,
 * to be repeated, but then it has a fault since the request.
 */
function hasEnded({ syncRunId, requestedAt, faultAt }: ReadSync, since: Date): boolean {
  return syncRunId === null && (requestedAt === null || isAfter(faultAt, since))
}

/** Prints how the sync ended; returns the exit code. */
function show(sync: ReadSync, since: Date): number {
  const faulty = sync.faulty.filter(({ faultAt }) => isAfter(faultAt, since))
  for (const { name, bankAccountId, text, advice } of faulty) {
    console.error(`${name} (${bankAccountId}): ${text}\n${advice}`)
  }
  if (isAfter(sync.lastSuccessfulUpdate, since)) {
    const { addedCount: added, changedCount: changed, matchedCount: matched } = sync
    const { removedCount: removed, skippedCount: skipped } = sync
    const counts = Object.entries({ added, changed, matched, removed, skipped })
    console.log(counts.map(([name, count]) => `${name} ${count}`).join(', '))
    return faulty.length === 0 ? 0 : 1
  }
  if (sync.fault === null || !isAfter(sync.faultAt, since)) {
    console.error('Nothing was synced: the link was deleted.')
    return 1
  }
  const { text, advice } = sync.fault
  if (faulty.every((one) => one.text !== text)) console.error(`${text}\n${advice}`)
  return 1
}

const isAfter = (time: Date | null, since: Date) => time !== null && time >= since
