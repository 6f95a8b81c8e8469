const defaultLocale = 'en_US'

const countries = new Intl.DisplayNames('en', { type: 'region', fallback: 'none' })

/**
 * Returns the text unchanged where it is a language and a country that the runtime knows (`de_DE`,
 * `de-DE`), otherwise `en_US` (docs/sign-in.md#locale-timezone-and-currency).
 */
export function knownLocale(text: string): string {
  const [, language = '', country = ''] = /^([a-z]{2,3})[_-]([A-Z]{2})$/.exec(text) ?? []
  if (country === '' || country === 'ZZ' || !countries.of(country)) return defaultLocale
  const [supported] = Intl.DateTimeFormat.supportedLocalesOf(`${language}-${country}`)
  return supported ? text : defaultLocale
}
