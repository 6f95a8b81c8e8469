import type { ListChangesData, ListChangesResponse } from '../gen/types.gen.ts'
import type { Answer } from './answer.ts'
import { CofferError } from './coffer-error.ts'
import { pause } from './retry.ts'

/** A part of the change feed. Keep `nextCursor` once the changes have been handled. */
export type ChangesPage = ListChangesResponse

type Query = NonNullable<ListChangesData['query']>

/** Options of `followChanges`. */
export interface FollowOptions {
  /**
   * `after` is the cursor to go on from, by default `latest`: the first page then has no changes.
   * `types` are as in the operation.
   */
  query?: Omit<Query, 'wait' | 'fields'>
  /** `polls` for a client behind a proxy that holds streams back. Default: `stream`. */
  by?: 'stream' | 'polls'
  /** When it aborts, the loop throws its reason. */
  signal?: AbortSignal
}

interface Asked {
  query: Query
  signal: AbortSignal
  timeoutMs: number
}

/** The methods of a client that `followChanges` calls. */
interface Feed {
  listChanges: (options: Asked) => Promise<Answer<ChangesPage>>
  watchChanges: (options: Asked) => AsyncGenerator<ChangesPage, void, void>
}

/** Seconds that the server waits for a change. */
const wait = 30
/** Time until a stream is open, or a poll is answered, in ms. */
const timeoutsMs = { stream: 20_000, polls: 60_000 }
const pauseMsFirst = 1_000
const pauseMsMax = 30_000
const transientStatuses = [429, 502, 503, 504]

/**
 * Yields the change feed page by page, without an end: by a stream, or by long polls. Pages without
 * a change are left out unless their cursor is new. After a lost connection or a restart of the
 * server, it continues behind the last page. It changes to long polls if a proxy holds the stream
 * back. Throws a `ChangesRemovedError` for a cursor that is too old, other refusals, and any error
 * before the first page.
 */
export async function* followChanges(
  coffer: Feed,
  { query = {}, by = 'stream', signal = new AbortController().signal }: FollowOptions = {},
): AsyncGenerator<ChangesPage, void, void> {
  let way = by
  let after = query.after ?? 'latest'
  let seen: string | undefined
  for (let failures = 0; ; ) {
    let isNew = true
    let askedMs = 0
    try {
      for await (const page of pagesOf(coffer, way, { ...query, after }, signal)) {
        isNew = false
        failures = 0
        after = page.nextCursor
        const isKnown = page.changes.length === 0 && after === seen
        seen = after
        if (!isKnown) yield page
      }
    } catch (error) {
      signal.throwIfAborted()
      const isHeldBack = way === 'stream' && isNew && isNoStream(error)
      if (isHeldBack) way = 'polls'
      else if (seen === undefined || !isTransient(error)) throw error
      failures += 1
      askedMs = error instanceof CofferError ? (error.retryAfter ?? 0) * 1_000 : 0
    }
    // Full jitter, so that clients do not reconnect at the same time.
    const pauseMs = Math.random() * Math.min(pauseMsMax, pauseMsFirst * 2 ** failures)
    await pause(askedMs + pauseMs, signal)
  }
}

/** Yields the pages of one stream, or of long polls until a poll has no change. */
async function* pagesOf(
  coffer: Feed,
  way: keyof typeof timeoutsMs,
  query: Query,
  signal: AbortSignal,
): AsyncGenerator<ChangesPage, void, void> {
  const options = { signal, timeoutMs: timeoutsMs[way] }
  if (way === 'stream') return yield* coffer.watchChanges({ query, ...options })
  for (let { after = 'latest' } = query; ; ) {
    const { data } = await coffer.listChanges({ query: { ...query, after, wait }, ...options })
    yield data
    // Ends, so that the caller pauses before the next call. A server that is shutting down answers
    // a waiting request immediately and without changes, so that this loop would spin.
    if (data.changes.length === 0 && !data.hasMore && after !== 'latest') return
    after = data.nextCursor
  }
}

/** Returns whether no stream came: an answer of another type, or nothing in time. */
function isNoStream(error: unknown): boolean {
  if (error instanceof CofferError) return error.status === 200
  return error instanceof DOMException && error.name === 'TimeoutError'
}

/** Returns whether the server may be back later: it was busy, or the connection was lost. */
function isTransient(error: unknown): boolean {
  if (error instanceof CofferError) return transientStatuses.includes(error.status)
  return error instanceof TypeError || error instanceof DOMException
}
