import currencyOfCountry from 'country-to-currency'

const fallback = 'USD'

// Currencies by number of decimal places, where it is not two (ISO 4217, List One). Not from Intl:
// it omits minor units that bank statements contain (HUF, IQD).
const decimals: Record<number, string> = {
  0: 'BIF CLP DJF GNF ISK JPY KMF KRW PYG RWF UGX UYI VND VUV XAF XOF XPF',
  3: 'BHD IQD JOD KWD LYD OMR TND',
  4: 'CLF UYW',
}

const decimalsOf = new Map(
  Object.entries(decimals).flatMap(([places, codes]) =>
    codes.split(' ').map((code): [string, number] => [code, Number(places)]),
  ),
)

const known = Intl.supportedValuesOf('currency').sort()

/** Lists the supported ISO 4217 codes, in ascending order (docs/api.md#money). */
export function currencies(): readonly string[] {
  return known
}

/** Returns a currency's number of decimal places: 2 for USD, 0 for JPY, 2 for unknown codes. */
export function decimalPlaces(currency: string): number {
  return decimalsOf.get(currency) ?? 2
}

/**
 * Returns the currency of a locale's country (`de_DE`, `zh-Hant-TW`, `en_US.UTF-8`), or USD if the
 * country is unknown (docs/account-data.md#locale-timezone-and-currency).
 */
export function currencyOf(locale: string): string {
  const [, country = ''] = /^[a-z]{2,3}(?:[_-][A-Z][a-z]{3})?[_-]([A-Z]{2})\b/.exec(locale) ?? []
  const currency = (currencyOfCountry as Record<string, string>)[country] ?? fallback
  return known.includes(currency) ? currency : fallback
}
