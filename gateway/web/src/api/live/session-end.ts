import { useSyncExternalStore } from 'react'

const listeners = new Set<() => void>()
let hasEnded = false
let reason: KnownReason | null = null

const hourMs = 3_600_000

/**
 * Returns whether a session (its end as RFC 3339) ends soon: within a day, or within an hour on a
 * device that is not the user's own. False for a session that has ended.
 */
export function isEndingSoon(
  expiresAt: string,
  { now, isForeign }: { now: number; isForeign: boolean },
): boolean {
  const leftMs = Date.parse(expiresAt) - now
  return leftMs > 0 && leftMs < (isForeign ? hourMs : 24 * hourMs)
}

/** Reason that this browser knows: a sign-out in another tab, or another user's sign-in there. */
type KnownReason = 'tab' | 'person'

/**
 * Returns why a session (its end as RFC 3339) has ended, as the server does not say it: at its
 * time, or for another reason, which the app cannot know.
 */
export function endReasonOf(expiresAt: string | null, now: number): 'time' | 'other' {
  return expiresAt !== null && Date.parse(expiresAt) <= now ? 'time' : 'other'
}

/** Notes that the session has ended elsewhere, or that the same user has signed in again. */
export function noteSession(isEnded: boolean, known: KnownReason | null = null): void {
  if (hasEnded === isEnded) return
  hasEnded = isEnded
  reason = known
  for (const listener of listeners) listener()
}

/** Returns why the session has ended, if this browser knows it. */
export function knownReason(): KnownReason | null {
  return reason
}

/** Returns whether the session of the shown screen has ended. */
export function useSessionEnd(): boolean {
  return useSyncExternalStore(listen, () => hasEnded)
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}
