import { useSyncExternalStore } from 'react'

/** Choices that this browser keeps. Of an account they hold the ID of the chosen one alone. */
export interface Preferences {
  theme: 'system' | 'light' | 'dark'
  areAmountsHidden: boolean
  bankAccountId: string | null
  envelopesAs: 'cards' | 'table'
  /** Whether the person keeps here what was seen last; null until they have chosen. */
  isOwnDevice: boolean | null
  /** Whether a sign-out without a network has still to reach the server. */
  isSignOutDue: boolean
  /** Whether a person has signed in here, and has not signed out. */
  isSignedIn: boolean
}

const place = 'coffer-preferences'
const defaults: Preferences = {
  theme: 'system',
  areAmountsHidden: false,
  bankAccountId: null,
  envelopesAs: 'cards',
  isOwnDevice: null,
  isSignOutDue: false,
  isSignedIn: false,
}
const listeners = new Set<() => void>()
let current = stored()

/** Returns the choices, and renders again when one changes. */
export function usePreferences(): Preferences {
  return useSyncExternalStore(listen, () => current)
}

/** Returns the choices as they are now. */
export function currentPreferences(): Preferences {
  return current
}

/** Changes some choices, here and in the other tabs. */
export function setPreferences(change: Partial<Preferences>): void {
  current = { ...current, ...change }
  try {
    localStorage.setItem(place, JSON.stringify(current))
  } catch {
    // A browser without storage keeps the choices until it is closed.
  }
  apply()
}

/** Shows the theme: `color-scheme` of the page decides between the colours of `light-dark()`. */
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
