// The locale of accounts that do not name one (spec/identity.md 3.3).
const defaultLocale = 'en_US'

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/**
 * The locale as given where it is a language and a country the runtime knows (`de_DE`, `de-DE`),
 * otherwise the default (spec/identity.md 5.6).
 */
export function knownLocale(text: string): string {
  const [, language = '', country = ''] = /^([a-z]{2,3})[_-]([A-Z]{2})$/.exec(text) ?? []
  if (country === '' || country === 'ZZ' || !countries.of(country)) return defaultLocale
  const [supported] = Intl.DateTimeFormat.supportedLocalesOf(`${language}-${country}`)
  return supported ? text : defaultLocale
}
