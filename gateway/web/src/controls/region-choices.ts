interface Choice {
  value: string
  text: string
}

/** Locales that are offered in addition to the browser's. */
const common = [
  'ar-EG',
  'de-AT',
  'de-CH',
  'de-DE',
  'en-AU',
  'en-CA',
  'en-GB',
  'en-IE',
  'en-IN',
  'en-US',
  'es-ES',
  'es-MX',
  'fr-CA',
  'fr-FR',
  'hi-IN',
  'it-IT',
  'ja-JP',
  'nl-NL',
  'pl-PL',
  'pt-BR',
  'sv-SE',
]

/** Returns the timezones that the browser supports, including its own. */
export function timezoneChoices(own: string): Choice[] {
  const known = new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])
  return [...known].sort().map((value) => ({ value, text: value.replaceAll('_', ' ') }))
}

/** Returns common locales and the browser's, each named in its own language. */
export function localeChoices(own: string): Choice[] {
  return [...new Set([own, ...common])]
    .map((value) => ({ value, text: nameOf(value) }))
    .sort((a, b) => a.text.localeCompare(b.text))
}

function nameOf(locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale
}
