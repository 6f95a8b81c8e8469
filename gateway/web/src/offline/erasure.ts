import { ownName } from '../base-path.ts'
import { currentPreferences } from '../preferences/preferences.ts'

/** Prefix of the names of caches, one for each user. */
export const family = `${ownName('coffer-seen')} `

let erasures = 0

/**
 * Returns the number of erasures of stored answers so far. An answer is stored only if this number
 * has not changed since its request.
 */
export function erasuresSoFar(): number {
  return erasures
}

/** Erases all stored answers: at a sign-out, after a 401, and before another user signs in. */
export async function eraseLastSeen(): Promise<void> {
  erasures += 1
  if (!hasCaches()) return
  await inTurn(async () => {
    for (const name of await namesOfFamily()) await caches.delete(name)
  })
}

/** Returns whether this browser has the Cache API: only with https and on localhost. */
export function hasCaches(): boolean {
  return isSecureContext && 'caches' in globalThis && 'serviceWorker' in navigator
}

/** Returns whether answers are stored: the browser has caches, and the user has agreed. */
export function mayKeep(): boolean {
  return hasCaches() && currentPreferences().isOwnDevice === true
}

/** Mutual exclusion over all tabs, so that no tab writes into a cache while another erases it. */
export async function inTurn(work: () => Promise<void>): Promise<void> {
  await navigator.locks.request(family, work)
}

/**
 * Returns the names of this instance's caches of stored answers: one, or two while another user
 * takes over.
 */
export async function namesOfFamily(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(family))
}
