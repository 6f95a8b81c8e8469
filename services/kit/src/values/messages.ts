import { IntlMessageFormat } from 'intl-messageformat'

/** The same texts in another language: a text for each key of the English ones. */
export type Translation<Texts> = Texts extends string
  ? string
  : { readonly [Key in keyof Texts]: Translation<Texts[Key]> }

/** Values of a message by name. */
type Values = Readonly<Record<string, string | number>>

/** Texts in one language; a text with values is a function of these values. */
export type Words<Texts> = Texts extends string
  ? Texts extends `${string}{${string}`
    ? (values: Values) => string
    : string
  : { readonly [Key in keyof Texts]: Words<Texts[Key]> }

/**
 * Returns the texts of a catalogue (ICU MessageFormat) for its language, with the keys of the
 * English catalogue. Each text is parsed at its first use.
 */
export function wordsOf<Texts>(catalogue: Translation<Texts>, language: string): Words<Texts> {
  return spoken(catalogue, language) as Words<Texts>
}

function spoken(texts: unknown, language: string): unknown {
  if (typeof texts === 'string') return texts.includes('{') ? messageOf(texts, language) : texts
  const entries = Object.entries(texts as Record<string, unknown>)
  return Object.fromEntries(entries.map(([key, text]) => [key, spoken(text, language)]))
}

function messageOf(text: string, language: string): (values: Values) => string {
  let message: IntlMessageFormat | undefined
  return (values) => {
    message ??= new IntlMessageFormat(text, language, undefined, { ignoreTag: true })
    return String(message.format(values))
  }
}

/** Returns the language (ISO 639-1) of a locale (`de_AT`, `de-AT`) if it is known, else English. */
export function languageOf<Known extends string>(
  locale: string,
  known: Readonly<Record<Known | 'en', unknown>>,
): Known | 'en' {
  const [language = ''] = locale.toLowerCase().split(/[-_]/)
  return Object.hasOwn(known, language) ? (language as Known) : 'en'
}
