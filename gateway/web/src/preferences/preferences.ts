import { useSyncExternalStore } from 'react'
import { ownName } from '../base-path.ts'

/**
 * Preferences that this browser stores. The only data of an account in them is the chosen bank
 * account's ID.
 */
export interface Preferences {
  theme: 'system' | 'light' | 'dark'
  areAmountsHidden: boolean
  bankAccountId: string | null
  envelopesAs: 'cards' | 'table'
  /** Whether the sign-in said that the device is not the user's own; null without a sign-in. */
  isForeign: boolean | null
  /** Whether this device stores answers for offline use; null until the user has chosen. */
  isOwnDevice: boolean | null
  /** Whether the user signed out offline, so that the server still has to be told. */
  isSignOutDue: boolean
  /** Whether a user has signed in here, and has not signed out. */
  isSignedIn: boolean
}

const place = ownName('coffer-preferences')
const defaults: Preferences = {
  theme: 'system',
  areAmountsHidden: false,
  bankAccountId: null,
  envelopesAs: 'cards',
  isForeign: null,
  isOwnDevice: null,
  isSignOutDue: false,
  isSignedIn: false,
}
const listeners = new Set<() => void>()
let current = stored()

/** Hook: returns the preferences, and renders again when one changes. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(listen, () => current)
}

/** Returns the current preferences. */
export function currentPreferences(): Preferences {
  return current
}

/** Changes preferences, in this tab and in the others. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(place, JSON.stringify(current))
  } catch {
    // Without storage, the preferences are kept in memory only.
  }
  apply()
}

/** Applies the theme: `color-scheme` of the page selects the colours of `light-dark()`. */
export function apply(): void {
  const { dataset } = document.documentElement
  dataset.theme = current.theme
  for (const listener of listeners) listener()
}

function listen(listener: () => void): () => void {
  listeners.add(listener)
  return () => listeners.delete(listener)
}

function stored(): Preferences {
  try {
    return { ...defaults, ...JSON.parse(localStorage.getItem(place) ?? '{}') }
  } catch {
    return defaults
  }
}

addEventListener('storage', () => {
  current = stored()
  apply()
})
