import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let isReached = true

/**
 * Notes whether the last request got an answer of the server, of any status. Dispatches
 * `coffer-away` when the server becomes unreachable, and `coffer-reached` when it is back.
 */
export function noteAnswer(hasAnswer: boolean): void {
  if (isReached === hasAnswer) return
  isReached = hasAnswer
  dispatchEvent(new Event(hasAnswer ? 'coffer-reached' : 'coffer-away'))
  for (const listener of listeners) listener()
}

/** Returns whether a proxy answers in place of the server: Coffer sends its own errors as JSON. */
export function isOfProxy(response: Response): boolean {
  return [502, 503, 504].includes(response.status) && !isJson(response)
}

/**
 * Reads the whole body of a JSON answer, so that a connection lost during the body throws here,
 * like one lost before it. Streams and files are left to the caller.
 */
export async function wholeOf(response: Response): Promise<Response> {
  const { status, headers } = response
  if (!isJson(response) || headers.has('content-disposition')) return response
  return new Response(await response.text(), { status, headers })
}

function isJson({ headers }: Response): boolean {
  return /[/+]json/.test(headers.get('content-type') ?? '')
}

/** Returns whether the last request got an answer of the server. */
export function isServerReached(): boolean {
  return isReached
}

/** Hook of `isServerReached`: renders again when it changes. */
export function useReachability(): boolean {
  return useSyncExternalStore(listen, () => isReached)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
