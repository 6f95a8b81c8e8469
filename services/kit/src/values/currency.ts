import currencyOfCountry from 'country-to-currency'

const fallback = 'USD'

// ISO 4217, List One: the minor units that are not two. The runtime's own figures are for display
// and leave off minor units that statements carry (HUF, IQD).
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

/** ISO 4217 codes an account may be kept in, ascending (spec/decisions.md, Ledger). */
export function currencies(): readonly string[] {
  return known
}

/** How many decimal places of the currency one minor unit is: 2 for USD, 0 for JPY, 3 for BHD. */
export function decimalPlaces(currency: string): number {
  return decimalsOf.get(currency) ?? 2
}

/**
 * The currency of a locale's country (`de_DE`, `de-DE`, `zh-Hant-TW`, `en_US.UTF-8`); USD where
 * the locale names no country or one that is not known (spec/identity.md 6.2).
 */
export function currencyOf(locale: string): string {
  const [, country = ''] = /^[a-z]{2,3}(?:[_-][A-Z][a-z]{3})?[_-]([A-Z]{2})\b/.exec(locale) ?? []
  const currency = (currencyOfCountry as Record<string, string>)[country] ?? fallback
  return known.includes(currency) ? currency : fallback
}
