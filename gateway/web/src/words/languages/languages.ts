import type { Part, Translation } from './translation.ts'

/** All texts in one language. */
export type Catalogue = { readonly [P in Part]: Translation<P> }

interface Language {
  /** Name in the language itself. */
  name: string
  /** Locale (BCP 47) of the texts that React Aria brings. */
  locale: string
  /** Loads the texts: a chunk of its own. */
  load: () => Promise<Catalogue>
  loadRefusals: () => Promise<Translation<'refusals'>>
}

/** Languages of the app. Another one is a further entry here, and a catalogue like `de.ts`. */
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

const place = 'coffer-language'

/** Returns the chosen language; null if the browser decides. */
export function chosenLanguage(): LanguageCode | null {
  try {
    const stored = localStorage.getItem(place) ?? ''
    return isLanguage(stored) ? stored : null
  } catch {
    return null
  }
}

/** Returns the language of the page: the chosen one, else by the browser. */
export function currentLanguage(): LanguageCode {
  return chosenLanguage() ?? languageOf(navigator.languages ?? [])
}

/** The languages in their own names, as choices. */
export const languageNames = Object.entries(languages).map(([value, { name }]) => ({
  value,
  text: name,
}))

/**
 * Stores the choice, where an empty one leaves it to the browser, and loads the page again: no
 * text has to change while it is shown.
 */
export function chooseLanguage(code: string): void {
  try {
    localStorage.setItem(place, code)
  } catch {
    // A browser without storage keeps its own language.
  }
  location.reload()
}

/** Returns the first of these locales that the app speaks, else English. */
export function languageOf(locales: readonly string[]): LanguageCode {
  return (
    locales.map((locale) => locale.toLowerCase().split(/[-_]/)[0] ?? '').find(isLanguage) ?? 'en'
  )
}

function isLanguage(code: string): code is LanguageCode {
  return Object.hasOwn(languages, code)
}
