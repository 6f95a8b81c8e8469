import { basePath } from '../base-path.ts'
import { currentPreferences } from '../preferences/preferences.ts'

/** One cache for each person; a second Coffer of this host has another path. */
export const family = `coffer-seen ${basePath} `

let erasures = 0

/** Returns the number of erasures so far: an answer to a request before the last is not kept. */
export function erasuresSoFar(): number {
  return erasures
}

/** Erases all that is kept: at a sign-out, at a 401, and before another person signs in. */
export async function eraseLastSeen(): Promise<void> {
  erasures += 1
  if (!hasCaches()) return
  await inTurn(async () => {
    for (const name of await namesOfFamily()) await caches.delete(name)
  })
}

/** Returns whether this browser has caches here: on https and on the own machine alone. */
export function hasCaches(): boolean {
  return isSecureContext && 'caches' in globalThis && 'serviceWorker' in navigator
}

/** Returns whether answers are kept: where there are caches, if the person has chosen so. */
export function mayKeep(): boolean {
  return hasCaches() && currentPreferences().isOwnDevice === true
}

/** One change at a time over all tabs: none writes into a cache while another erases it. */
export async function inTurn(work: () => Promise<void>): Promise<void> {
  await navigator.locks.request(family, work)
}

/** Returns the names of the caches of this Coffer: one, or two at a change of the person. */
export async function namesOfFamily(): Promise<string[]> {
  return (await caches.keys()).filter((name) => name.startsWith(family))
}
