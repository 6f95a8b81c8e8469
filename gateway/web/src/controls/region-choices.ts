interface Choice {
  value: string
  text: string
}

/** Locales that are offered besides that of the browser. */
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

/** Returns the timezones that the browser knows, with its own one. */
export function timezoneChoices(own: string): Choice[] {
  const known = new Set([own, 'UTC', ...Intl.supportedValuesOf('timeZone')])
  return [...known].sort().map((value) => ({ value, text: value.replaceAll('_', ' ') }))
}

/** Returns common locales in their own languages, with that of the browser. */
export function localeChoices(own: string): Choice[] {
  return [...new Set([own, ...common])]
    .map((value) => ({ value, text: nameOf(value) }))
    .sort((a, b) => a.text.localeCompare(b.text))
}

function nameOf(locale: string): string {
  return new Intl.DisplayNames(locale, { type: 'language' }).of(locale) ?? locale
}
