import { noteAnswer } from './reachability.ts'

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
 */
export async function fetchRevalidated(request: Request): Promise<Response> {
  if (request.method !== 'GET') return send(request)
  const known = kept.get(request.url)
  if (known !== undefined) request.headers.set('if-none-match', known.etag)
  const response = await send(request)
  if (response.status === 304 && known !== undefined) {
    keep(request.url, known)
    return new Response(known.body, { status: 200, headers: known.headers })
  }
  const etag = response.headers.get('etag')
  if (!response.ok || etag === null) return response
  const body = await response.text()
  keep(request.url, { etag, body, headers: response.headers })
  return new Response(body, { status: response.status, headers: response.headers })
}

/** Sends a request, and notes whether the server answers. An aborted request says nothing. */
async function send(request: Request): Promise<Response> {
  try {
    const response = await fetch(request)
    noteAnswer(true)
    return response
  } catch (error) {
    if (!request.signal.aborted) noteAnswer(false)
    throw error
  }
}

/** Forgets all answers, for example at the end of a session. */
export function forgetAnswers(): void {
  kept.clear()
}

function keep(url: string, answer: Kept): void {
  kept.delete(url)
  kept.set(url, answer)
  const [oldest] = kept.keys()
  if (kept.size > answersMax && oldest !== undefined) kept.delete(oldest)
}
