import { ownName } from '../../base-path.ts'
import type { Part, Translation } from './translation.ts'

/** All texts in one language. */
export type Catalogue = { readonly [P in Part]: Translation<P> }

interface Language {
  /** Name in the language itself. */
  name: string
  /** Locale (BCP 47) for the texts that React Aria contains. */
  locale: string
  /** Loads the texts from a separate chunk. */
  load: () => Promise<Catalogue>
  loadRefusals: () => Promise<Translation<'refusals'>>
}

/** Languages of the app. A new language needs an entry here, and a catalogue like `de.ts`. */
export const languages = {
  en: {
    name: 'English',
    locale: 'en-US',
    load: async () => (await import('./en.ts')).texts,
    loadRefusals: async () => (await import('./en/refusals.ts')).refusals,
  },
  de: {
    name: 'Deutsch',
    locale: 'de-DE',
    load: async () => (await import('./de.ts')).texts,
    loadRefusals: async () => (await import('./de/refusals.ts')).refusals,
  },
} satisfies Record<string, Language>

/** Codes (ISO 639-1) of the languages. */
export type LanguageCode = keyof typeof languages

const place = ownName('coffer-language')

/** Returns the chosen language; null to use that of the browser. */
export function chosenLanguage(): LanguageCode | null {
  try {
    const stored = localStorage.getItem(place) ?? ''
    return isLanguage(stored) ? stored : null
  } catch {
    return null
  }
}

/** Returns the language of the page: the chosen one, else that of the browser. */
export function currentLanguage(): LanguageCode {
  return chosenLanguage() ?? languageOf(navigator.languages ?? [])
}

/** Options of the choice: the languages in their own names. */
export const languageNames = Object.entries(languages).map(([value, { name }]) => ({
  value,
  text: name,
}))

/**
 * Stores the language, empty for that of the browser, and reloads the page: so texts can be
 * constants.
 */
export function chooseLanguage(code: string): void {
  try {
    localStorage.setItem(place, code)
  } catch {
    // Without storage, the language of the browser is used.
  }
  location.reload()
}

/** Returns the first supported language among the locales, else English. */
export function languageOf(locales: readonly string[]): LanguageCode {
  return (
    locales.map((locale) => locale.toLowerCase().split(/[-_]/)[0] ?? '').find(isLanguage) ?? 'en'
  )
}

function isLanguage(code: string): code is LanguageCode {
  return Object.hasOwn(languages, code)
}
