import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let hasEnded = false

/** Notes that the session has ended elsewhere, or that the same user has signed in again. */
export function noteSession(isEnded: boolean): void {
  if (hasEnded === isEnded) return
  hasEnded = isEnded
  for (const listener of listeners) listener()
}

/** Returns whether the session of the shown screen has ended. */
export function useSessionEnd(): boolean {
  return useSyncExternalStore(listen, () => hasEnded)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
