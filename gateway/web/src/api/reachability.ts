import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let isReached = true

/**
 * Notes whether the last request has had an answer of the server, whatever it was. The event
 * `coffer-away` tells that it has none, `coffer-reached` that the server is back.
 */
export function noteAnswer(hasAnswer: boolean): void {
  if (isReached === hasAnswer) return
  isReached = hasAnswer
  dispatchEvent(new Event(hasAnswer ? 'coffer-reached' : 'coffer-away'))
  for (const listener of listeners) listener()
}

/**
 * Returns whether a proxy answers for a server that is away. Coffer sends its own errors as JSON.
 */
export function isOfProxy(response: Response): boolean {
  return [502, 503, 504].includes(response.status) && !isJson(response)
}

/**
 * Reads the body of an answer in JSON: a connection that is lost meanwhile throws here, as one that
 * is lost before the answer. Streams and files are read by those who have asked for them.
 */
export async function wholeOf(response: Response): Promise<Response> {
  const { status, headers } = response
  if (!isJson(response) || headers.has('content-disposition')) return response
  return new Response(await response.text(), { status, headers })
}

function isJson({ headers }: Response): boolean {
  return /[/+]json/.test(headers.get('content-type') ?? '')
}

/** Returns whether the server has answered the last request. */
export function isServerReached(): boolean {
  return isReached
}

/** Returns the same, and renders again when it changes. */
export function useReachability(): boolean {
  return useSyncExternalStore(listen, () => isReached)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
