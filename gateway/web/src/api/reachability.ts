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
export function isOfProxy({ status, headers }: Response): boolean {
  const isJson = /[/+]json/.test(headers.get('content-type') ?? '')
  return [502, 503, 504].includes(status) && !isJson
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
