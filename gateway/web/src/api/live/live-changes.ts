import { ChangesRemovedError, followChanges } from '@coffer/client'
import { ownName } from '../../base-path.ts'
import { coffer } from '../client.ts'
import { noteRefusal, queries } from '../query-client.ts'
import { type Change, concernedQueries } from './concerned-queries.ts'
import { lead } from './leadership.ts'
import { noteLive } from './liveness.ts'

/**
 * Pause in ms before the next attempt if the server refuses the stream, for example at its limit.
 */
const refusedMs = 60_000
/** Time in ms for which changes are batched: an import causes many pages of changes. */
const gatherMs = 500

/** Message of the leading tab: changes, or whether it has a stream. */
type Told = { changes: Change[]; cursor: string } | { isLive: boolean }
/** Messages between tabs. A new tab asks with `isAsked` whether the leader has a stream. */
type News = Told | { isAsked: true }

/** Cursor of the last page of the change feed; kept while the tab is hidden. */
let cursor: string | undefined
let gathered: Change[] = []
let timer: ReturnType<typeof setTimeout> | null = null

/**
 * Invalidates the answers that changes of the account concern, until the returned function is
 * called. One visible tab of the browser, the leader, has the stream and forwards it to the others.
 * A tab that becomes visible again resumes at its cursor. Without a stream, answers are polled.
 */
export function followAccount(): () => void {
  const tabs = new BroadcastChannel(ownName('coffer-live'))
  const spread = (news: News) => tabs.postMessage(news)
  /** Whether this tab, as the leader, has a stream; null if it is not the leader. */
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
    // If the election fails, no tab has a stream, and answers are polled.
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

/** Follows the change feed until `signal` aborts; pauses after a refusal. */
async function streamTo(tell: (news: Told) => void, signal: AbortSignal): Promise<void> {
  while (!signal.aborted) {
    try {
      const query = cursor === undefined ? {} : { after: cursor }
      for await (const page of followChanges(coffer, { query, signal })) {
        tell({ changes: page.changes, cursor: page.nextCursor })
        tell({ isLive: true })
      }
    } catch (error) {
      // Aborted: this tab is hidden, or no longer the leader.
      if (signal.aborted) return
      tell({ isLive: false })
      noteRefusal(error)
      const isTooOld = error instanceof ChangesRemovedError
      if (isTooOld) cursor = undefined
      await pause(isTooOld ? 0 : refusedMs, signal)
    }
  }
}

/**
 * Takes a page of changes, and invalidates the answers that they concern at most twice a second.
 */
function take(changes: Change[], next: string): void {
  cursor = next
  gathered.push(...changes)
  if (timer === null) renew()
}

function renew(): void {
  timer = null
  if (gathered.length === 0) return
  // A hidden tab refetches once it is visible again.
  const refetchType = document.visibilityState === 'hidden' ? 'none' : 'active'
  for (const queryKey of concernedQueries(gathered)) {
    void queries.invalidateQueries({ queryKey, refetchType })
  }
  gathered = []
  timer = setTimeout(renew, gatherMs)
}

/**
 * Notes whether the stream works. When it stops working, all answers are refetched, because changes
 * may be missing.
 */
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

/** Resolves after `ms`, or once `signal` aborts. */
async function pause(ms: number, signal: AbortSignal): Promise<void> {
  const { promise, resolve } = Promise.withResolvers<void>()
  const end = setTimeout(resolve, ms)
  signal.addEventListener('abort', () => resolve(), { once: true })
  await promise
  clearTimeout(end)
}
