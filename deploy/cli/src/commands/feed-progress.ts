import { setTimeout as sleep } from 'node:timers/promises'
import type { Coffer } from '@coffer/client'
import type { WatchFeedSyncResponse as Frame, SyncHealth } from '@coffer/client/types'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'

/** Maximum time in ms to watch: sockets close after five minutes (docs/limits.md). */
const watchMs = 330_000
/**
 * Maximum time in ms to wait until a due sync begins. A requested sync begins earlier; a scheduled
 * one may be ten minutes late, for which the command does not wait.
 */
const beginMs = 30_000
const pollMs = 1_000

/** A bank account whose syncs are shown. */
type Watched = { bankAccountId: string; name: string }

/**
 * Prints the progress of a feed link's sync until no sync is running or due, then the state of each
 * bank account. Returns 1 if a bank account has a fault, or no sync has ended in time. Throws
 * FatalError when the server refuses or breaks a socket.
 */
export async function showSync(
  coffer: Coffer,
  linkId: string,
  watched: Watched[],
): Promise<number> {
  const width = Math.max(...watched.map(({ name }) => name.length))
  const stopping = new AbortController()
  const { signal } = stopping
  const read = () => readHealth(coffer, linkId)
  let { health, isDue } = await read()
  if (health.isSyncing) console.log('A sync runs.')
  else if (isDue) console.log('A sync waits to begin.')
  const sinceMs = performance.now()
  const isBusy = () => {
    const limitMs = health.isSyncing ? watchMs : beginMs
    return (health.isSyncing || isDue) && performance.now() < sinceMs + limitMs
  }
  const frames = isBusy()
    ? watched.map(({ bankAccountId, name }) => {
        const opened = coffer.watchFeedSync({ path: { linkId, bankAccountId }, signal })
        return showFrames(opened, name.padEnd(width), signal)
      })
    : []
  const broken = Promise.all(frames).then(() => new Promise<never>(() => {}))
  // Nothing awaits `broken` while a read is running: avoids an unhandled rejection.
  broken.catch(() => {})
  try {
    while (isBusy()) {
      await Promise.race([sleep(pollMs), broken])
      ;({ health, isDue } = await read())
    }
  } finally {
    stopping.abort()
    await Promise.allSettled(frames)
  }
  if (health.isSyncing) console.error('The sync has not ended in time: watch again.')
  return showState(health, watched, width) && !health.isSyncing ? 0 : 1
}

/** Reads the state of a link's syncs. `isDue`: a sync is about to begin. */
async function readHealth(
  coffer: Coffer,
  linkId: string,
): Promise<{ health: SyncHealth; isDue: boolean }> {
  const { data: health, response } = await coffer.getLinkHealth({ path: { linkId } })
  const { nextAttempt } = health
  // The time of the server's clock. The header Date has no fractions of a second (RFC 9110, 6.6.1),
  // so a second is added.
  const nowMs = Date.parse(response.headers.get('date') ?? '') + 1_000
  const isDue = nextAttempt !== null && Date.parse(nextAttempt) <= nowMs
  return { health, isDue }
}

/**
 * Prints the state of each bank account, and the counts of the last sync. Returns whether all are
 * synced.
 */
function showState(health: SyncHealth, watched: Watched[], width: number): boolean {
  const { bankAccounts, lastError, lastArrival, nextAttempt } = health
  const isSynced = watched.map(({ bankAccountId, name }) => {
    const found = bankAccounts.find((one) => one.bankAccountId === bankAccountId)
    const fault = found?.lastError ?? (found?.lastSuccess ? null : lastError)
    const synced = found?.lastSuccess ? `synced at ${found.lastSuccess}` : 'not synced yet'
    console.log(`${name.padEnd(width)}  ${fault ? `error: ${fault.text}` : synced}`)
    return fault === null && Boolean(found?.lastSuccess)
  })
  if (lastError) console.log(lastError.advice)
  const counts = Object.entries(lastArrival ?? {}).map(([name, count]) => `${name} ${count}`)
  if (counts.length > 0) console.log(`The last successful sync: ${counts.join(', ')}`)
  console.log(`The next sync is due: ${nextAttempt ?? 'when it is asked for'}`)
  return isSynced.every(Boolean) && lastError === null
}

/** Prints the frames of a sync. Throws FatalError if they end before `signal` is aborted. */
async function showFrames(
  frames: AsyncIterable<Frame>,
  label: string,
  signal: AbortSignal,
): Promise<void> {
  try {
    for await (const { status, error } of frames) {
      console.log(`${label}  ${status}  ${error ?? ''}`.trimEnd())
    }
  } catch (error) {
    if (signal.aborted) return
    const reason = (error as Error).message.replace(/\.$/, '')
    throw new FatalError(`The progress of ${label.trim()} could not be shown: ${reason}.`)
  }
}
