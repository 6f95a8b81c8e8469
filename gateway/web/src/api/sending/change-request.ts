import { OfflineError } from '../../offline/offline-error.ts'
import { isOfProxy, isServerReached, noteAnswer, wholeOf } from '../reachability.ts'
import { noteBuild, refusalOfOld } from './sender.ts'
import { askServer, watched } from './server-watch.ts'

/** Time in ms for which the same change, sent again, counts as a retry. */
const repeatedMs = 600_000

/** Idempotency-Keys of unanswered changes, by the content of the request. */
const unanswered = new Map<string, { key: string; until: number }>()

/**
 * Sends a change if the server can be reached; otherwise throws an OfflineError. The server may
 * have executed a change without an answer: when the user sends it again, it keeps its
 * Idempotency-Key, so that it is executed once.
 */
export async function sendChange(request: Request): Promise<Response> {
  const content = await contentOf(request)
  const sent = content === null ? undefined : unanswered.get(content)
  const wasSent = sent !== undefined && sent.until > performance.now()
  if (wasSent) request.headers.set('idempotency-key', sent.key)
  // A former build sends it too: the server may have saved it before its upgrade.
  const refusal = wasSent ? null : refusalOfOld(request)
  if (refusal !== null) return refusal
  if (!isServerReached() || !navigator.onLine) await requireServer(request.signal, wasSent)
  try {
    const answer = fetch(request)
    // Files are not watched: an upload takes long, and leaves no bandwidth to check the server.
    const response = await wholeOf(await (content === null ? answer : watched(answer)))
    noteAnswer(!isOfProxy(response))
    noteBuild(response)
    // After these answers the client or the user retries, so the Idempotency-Key is kept.
    if (response.status >= 500 || response.status === 429) note(request, content)
    else if (content !== null) unanswered.delete(content)
    return response
  } catch (error) {
    note(request, content)
    if (request.signal.aborted) throw error
    noteAnswer(false)
    throw content === null ? error : new OfflineError({ wasSent: true, isFinal: false })
  }
}

/** Removes the Idempotency-Keys of a session. */
export function forgetUnanswered(): void {
  unanswered.clear()
}

function note({ headers }: Request, content: string | null): void {
  const key = headers.get('idempotency-key')
  if (content === null || key === null) return
  unanswered.set(content, { key, until: performance.now() + repeatedMs })
}

/**
 * Returns the content of a request with an Idempotency-Key; null for other requests and for files.
 */
async function contentOf(request: Request): Promise<string | null> {
  const { method, url, headers } = request
  const isJson = headers.get('content-type') === 'application/json'
  if (!isJson || !headers.has('idempotency-key')) return null
  return `${method} ${url} ${await request.clone().text()}`
}

/** Checks whether the server is back; throws an OfflineError if not. */
async function requireServer(signal: AbortSignal, wasSent: boolean): Promise<void> {
  await askServer()
  signal.throwIfAborted()
  if (!isServerReached()) throw new OfflineError({ wasSent, isFinal: !navigator.onLine })
}
