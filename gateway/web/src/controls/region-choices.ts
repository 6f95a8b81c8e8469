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

/** Present names of timezones for which browsers list former ones (source: CLDR, `iana`). */
const presentNames: Readonly<Record<string, string>> = {
  'Africa/Asmera': 'Africa/Asmara',
  'America/Buenos_Aires': 'America/Argentina/Buenos_Aires',
  'America/Catamarca': 'America/Argentina/Catamarca',
  'America/Coral_Harbour': 'America/Atikokan',
  'America/Cordoba': 'America/Argentina/Cordoba',
  'America/Godthab': 'America/Nuuk',
  'America/Indianapolis': 'America/Indiana/Indianapolis',
  'America/Jujuy': 'America/Argentina/Jujuy',
  'America/Louisville': 'America/Kentucky/Louisville',
  'America/Mendoza': 'America/Argentina/Mendoza',
  'Asia/Calcutta': 'Asia/Kolkata',
  'Asia/Katmandu': 'Asia/Kathmandu',
  'Asia/Rangoon': 'Asia/Yangon',
  'Asia/Saigon': 'Asia/Ho_Chi_Minh',
  'Atlantic/Faeroe': 'Atlantic/Faroe',
  'Europe/Kiev': 'Europe/Kyiv',
  'Pacific/Enderbury': 'Pacific/Kanton',
  'Pacific/Ponape': 'Pacific/Pohnpei',
  'Pacific/Truk': 'Pacific/Chuuk',
}

/** Returns the present name of a timezone. */
export function presentTimezone(name: string): string {
  return presentNames[name] ?? name
}

/** Returns the timezones that the browser supports by their present names, including `own`. */
export function timezoneChoices(own: string): Choice[] {
  const known = [own, 'UTC', ...Intl.supportedValuesOf('timeZone')].map(presentTimezone)
  return [...new Set(known)].sort().map((value) => ({ value, text: value.replaceAll('_', ' ') }))
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
