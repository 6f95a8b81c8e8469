import { ChangesRemovedError, followChanges } from '@coffer/client'
import { coffer } from '../client.ts'
import { isSignedOut } from '../faults.ts'
import { queries } from '../query-client.ts'
import { type Change, concernedQueries } from './concerned-queries.ts'
import { lead } from './leadership.ts'
import { noteLive } from './liveness.ts'

/** Pause in ms before the next attempt where the stream is refused: too many, or no right. */
const refusedMs = 60_000
/** Time in ms for which changes are gathered: an import has many pages of them. */
const gatherMs = 500

/** News of the tab that leads: changes, and whether it has a stream. */
type Told = { changes: Change[]; cursor: string } | { isLive: boolean }
/** Messages between tabs; a new one asks whether there is a stream. */
type News = Told | { isAsked: true }

/** Cursor of the last known page of the feed; it outlives hidden times of the tab. */
let cursor: string | undefined
let gathered: Change[] = []
let timer: ReturnType<typeof setTimeout> | null = null

/**
 * Renews the answers that changes of the account concern, until the returned function is called. Of
 * all visible tabs of a browser one has the stream, and tells the others. A tab that is seen again
 * goes on where it was. Where the stream is refused, answers are renewed in short intervals.
 */
export function followAccount(): () => void {
  const tabs = new BroadcastChannel('coffer-live')
  const spread = (news: News) => tabs.postMessage(news)
  /** Whether this tab, as the leader, has a stream; null if it does not lead. */
  let hasStream: boolean | null = null
  let seen: AbortController | null = null
  tabs.onmessage = ({ data }: MessageEvent<News>) => {
    if (!('isAsked' in data)) hear(data)
    else if (hasStream !== null) spread({ isLive: hasStream })
  }
  const tell = (news: Told) => {
    if ('isLive' in news) hasStream = news.isLive
    hear(news)
    spread(news)
  }
  const look = () => {
    const isHidden = document.visibilityState === 'hidden'
    if (isHidden === (seen === null)) return
    seen?.abort()
    hasStream = null
    seen = isHidden ? null : new AbortController()
    if (seen === null) return
    spread({ isAsked: true })
    // Without a leader, answers are renewed in short intervals.
    lead(seen.signal, (signal) => streamTo(tell, signal)).catch(() => {})
  }
  document.addEventListener('visibilitychange', look)
  look()
  return () => {
    document.removeEventListener('visibilitychange', look)
    seen?.abort()
    tabs.close()
    forget()
  }
}

function hear(news: Told): void {
  if ('isLive' in news) setLive(news.isLive)
  else take(news.changes, news.cursor)
}

/** Follows the feed until `signal` aborts; waits where it is refused. */
async function streamTo(tell: (news: Told) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const query = cursor === undefined ? {} : { after: cursor }
      for await (const page of followChanges(coffer, { query, signal })) {
        tell({ changes: page.changes, cursor: page.nextCursor })
        tell({ isLive: true })
      }
    } catch (error) {
      // Another tab leads now, or none is seen.
      if (signal.aborted) return
      tell({ isLive: false })
      if (isSignedOut(error)) dispatchEvent(new Event('coffer-signed-out'))
      const isTooOld = error instanceof ChangesRemovedError
      if (isTooOld) cursor = undefined
      await pause(isTooOld ? 0 : refusedMs, signal)
    }
  }
}

/** Takes a page of changes: the answers that they concern are renewed, at most twice a second. */
function take(changes: Change[], next: string): void {
  cursor = next
  gathered.push(...changes)
  if (timer === null) renew()
}

function renew(): void {
  timer = null
  if (gathered.length === 0) return
  // A hidden tab asks when it is seen again.
  const refetchType = document.visibilityState === 'hidden' ? 'none' : 'active'
  for (const queryKey of concernedQueries(gathered)) {
    void queries.invalidateQueries({ queryKey, refetchType })
  }
  gathered = []
  timer = setTimeout(renew, gatherMs)
}

/** Notes whether changes are told. If not, answers are asked for at once: some may be missed. */
function setLive(is: boolean): void {
  if (!noteLive(is) || is) return
  void queries.invalidateQueries()
}

function forget(): void {
  if (timer !== null) clearTimeout(timer)
  timer = null
  gathered = []
  cursor = undefined
  noteLive(false)
}

/** Ends after a time or with `signal`. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(end)
}
