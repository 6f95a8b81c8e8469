import { OfflineError } from '../../offline/offline-error.ts'
import { isOfProxy, isServerReached, noteAnswer, wholeOf } from '../reachability.ts'
import { askServer, watched } from './server-watch.ts'

/** Time in ms for which the same change, sent again, counts as a repetition. */
const repeatedMs = 600_000

/** The Idempotency-Keys of changes without an answer, by what they send. */
const unanswered = new Map<string, { key: string; until: number }>()

/**
 * Sends a change while the server can be reached; otherwise throws an OfflineError. A change that
 * got no answer may have been carried out: when the person sends it again, it keeps its
 * Idempotency-Key, so that it is carried out once.
 */
export async function sendChange(request: Request): Promise<Response> {
  const content = await contentOf(request)
  const sent = content === null ? undefined : unanswered.get(content)
  const wasSent = sent !== undefined && sent.until > performance.now()
  if (wasSent) request.headers.set('idempotency-key', sent.key)
  if (!isServerReached() || !navigator.onLine) await requireServer(request.signal, wasSent)
  try {
    const answer = fetch(request)
    // Files take their time, and leave none to a question.
    const response = await wholeOf(await (content === null ? answer : watched(answer)))
    noteAnswer(!isOfProxy(response))
    // After these the client repeats the request, or a person does.
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

/** Forgets the changes of a session. */
export function forgetUnanswered(): void {
  unanswered.clear()
}

function note({ headers }: Request, content: string | null): void {
  const key = headers.get('idempotency-key')
  if (content === null || key === null) return
  unanswered.set(content, { key, until: performance.now() + repeatedMs })
}

/** Returns what a request with an Idempotency-Key sends; null for others, and for files. */
async function contentOf(request: Request): Promise<string | null> {
  const { method, url, headers } = request
  const isJson = headers.get('content-type') === 'application/json'
  if (!isJson || !headers.has('idempotency-key')) return null
  return `${method} ${url} ${await request.clone().text()}`
}

/** Asks whether the server is back; throws if not. */
async function requireServer(signal: AbortSignal, wasSent: boolean): Promise<void> {
  await askServer()
  signal.throwIfAborted()
  if (!isServerReached()) throw new OfflineError({ wasSent, isFinal: !navigator.onLine })
}
