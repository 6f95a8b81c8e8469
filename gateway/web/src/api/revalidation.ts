import { forgetEarly, takeEarly } from '../early.ts'
import { eraseLastSeen, erasuresSoFar, mayKeep } from '../offline/erasure.ts'
import { isOfProxy, noteAnswer, wholeOf } from './reachability.ts'
import { sendChange } from './sending/change-request.ts'
import { noteBuild } from './sending/sender.ts'
import { watched } from './sending/server-watch.ts'

const answersMax = 200

interface Kept {
  etag: string
  body: string
  headers: Headers
}

/** LRU cache of answers with an entity tag. */
const kept = new Map<string, Kept>()

/**
 * Sends a request. Conditional GET: a cached answer is revalidated by `If-None-Match` (RFC 9110,
 * 13.1.2), and a 304 returns it, which makes polling cheap. Without the server, the answer that was
 * stored last on this device is returned, if there is one.
 */
export async function fetchRevalidated(request: Request): Promise<Response> {
  if (request.method !== 'GET') {
    forgetEarly()
    return sendChange(request)
  }
  const since = erasuresSoFar()
  const known = kept.get(request.url)
  if (known !== undefined) request.headers.set('if-none-match', known.etag)
  let response: Response
  try {
    response = await send(request)
  } catch (error) {
    if (request.signal.aborted) throw error
    const seen = await ofLastSeen((part) => part.findLastSeen(request.url))
    if (seen === null) throw error
    return seen
  }
  if (response.status === 401) {
    forgetAnswers()
    void eraseLastSeen()
  } else if (isOfProxy(response)) {
    return (await ofLastSeen((part) => part.findLastSeen(request.url))) ?? response
  } else void ofLastSeen((part) => part.noteSeen(since))
  if (response.status === 304 && known !== undefined) {
    keep(request.url, known)
    void ofLastSeen((part) => part.keepAnswer(request.url, { ...known, isKnown: true }, since))
    return new Response(known.body, { status: 200, headers: known.headers })
  }
  const etag = response.headers.get('etag')
  if (!response.ok || etag === null) return response
  const { status, headers } = response
  const body = await response.text()
  keep(request.url, { etag, body, headers })
  void ofLastSeen((part) => part.keepAnswer(request.url, { body, headers }, since))
  return new Response(body, { status, headers })
}

/** Sends a request, and notes whether the server answers. An aborted request changes nothing. */
async function send(request: Request): Promise<Response> {
  try {
    const response = await wholeOf(await watched(earlyAnswer(request) ?? fetch(request)))
    noteAnswer(!isOfProxy(response))
    noteBuild(response)
    return response
  } catch (error) {
    if (!request.signal.aborted) noteAnswer(false)
    throw error
  }
}

/** Returns the answer that `early.ts` has requested before the app was loaded; rejects on abort. */
function earlyAnswer({ url, signal }: Request): Promise<Response> | undefined {
  const answer = takeEarly(url)
  if (answer === undefined) return undefined
  const { promise: end, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([answer, end])
}

/**
 * Runs `use` with the module that stores answers for offline use; null if they are not stored, or
 * on an error.
 */
async function ofLastSeen<Result>(
  use: (part: typeof import('../offline/last-seen.ts')) => Promise<Result>,
): Promise<Result | null> {
  if (!mayKeep()) return null
  try {
    return await use(await import('../offline/last-seen.ts'))
  } catch {
    // Possible errors: the disk is full, or the module cannot be loaded.
    return null
  }
}

/** Removes all cached answers, for example at the end of a session. */
export function forgetAnswers(): void {
  forgetEarly()
  kept.clear()
}

function keep(url: string, answer: Kept): void {
  kept.delete(url)
  kept.set(url, answer)
  const [oldest] = kept.keys()
  if (kept.size > answersMax && oldest !== undefined) kept.delete(oldest)
}
