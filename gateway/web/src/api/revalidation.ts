import { forgetEarly, takeEarly } from '../early.ts'
import { eraseLastSeen, erasuresSoFar, mayKeep } from '../offline/erasure.ts'
import { isOfProxy, noteAnswer, wholeOf } from './reachability.ts'
import { forgetUnanswered, sendChange } from './sending/change-request.ts'
import { watched } from './sending/server-watch.ts'

const answersMax = 200

interface Kept {
  etag: string
  body: string
  headers: Headers
}

/** Answers with an entity tag, in the order of their last use. */
const kept = new Map<string, Kept>()

/**
 * Sends a request. A GET of a known answer asks by `If-None-Match` whether it has changed (RFC
 * 9110, 13.1.2); a 304 becomes the known answer, so that a look every few seconds costs little.
 * Without the server, the answer that was seen last is the answer, where it is kept.
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

/** Sends a request, and notes whether the server answers. An aborted request says nothing. */
async function send(request: Request): Promise<Response> {
  try {
    const response = await wholeOf(await watched(earlyAnswer(request) ?? fetch(request)))
    noteAnswer(!isOfProxy(response))
    return response
  } catch (error) {
    if (!request.signal.aborted) noteAnswer(false)
    throw error
  }
}

/** Returns the answer that was asked for before the app was there; it ends with the request. */
function earlyAnswer({ url, signal }: Request): Promise<Response> | undefined {
  const answer = takeEarly(url)
  if (answer === undefined) return undefined
  const { promise: end, reject } = Promise.withResolvers<never>()
  signal.addEventListener('abort', () => reject(signal.reason), { once: true })
  return Promise.race([answer, end])
}

/** Uses what keeps answers for times without a network; null if none are kept, or if it fails. */
async function ofLastSeen<Result>(
  use: (part: typeof import('../offline/last-seen.ts')) => Promise<Result>,
): Promise<Result | null> {
  if (!mayKeep()) return null
  try {
    return await use(await import('../offline/last-seen.ts'))
  } catch {
    // A full disk, or a part that is not loaded yet.
    return null
  }
}

/** Forgets all answers, for example at the end of a session. */
export function forgetAnswers(): void {
  forgetEarly()
  forgetUnanswered()
  kept.clear()
}

function keep(url: string, answer: Kept): void {
  kept.delete(url)
  kept.set(url, answer)
  const [oldest] = kept.keys()
  if (kept.size > answersMax && oldest !== undefined) kept.delete(oldest)
}
