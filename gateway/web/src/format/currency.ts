/** Format of the amounts of a bank account: its currency, and the locale of the user. */
export interface Manner {
  /** BCP 47, such as de-DE. */
  locale: string
  /** ISO 4217. */
  currency: string
}

const kept = new Map<string, number>()

/** Returns the number of decimals of a currency (ISO 4217): 2 for EUR, 0 for JPY, 3 for BHD. */
export function decimalsOf(currency: string): number {
  const known = kept.get(currency)
  if (known !== undefined) return known
  const format = new Intl.NumberFormat('en', { style: 'currency', currency })
  const decimals = format.resolvedOptions().maximumFractionDigits ?? 2
  kept.set(currency, decimals)
  return decimals
}

/** Returns the code of a currency with its name in a language: `EUR – Euro`. */
export function currencyName(currency: string, language: string): string {
  const name = new Intl.DisplayNames(language, { type: 'currency' }).of(currency)
  return name === undefined || name === currency ? currency : `${currency} – ${name}`
}

/** Returns an amount in minor units as a decimal number, exactly: -1250 in EUR is `-12.50`. */
export function decimalOf(amount: number, currency: string): `${number}` {
  const decimals = decimalsOf(currency)
  const digits = String(Math.abs(amount)).padStart(decimals + 1, '0')
  const at = digits.length - decimals
  const fraction = decimals === 0 ? '' : `.${digits.slice(at)}`
  return `${amount < 0 ? '-' : ''}${digits.slice(0, at)}${fraction}` as `${number}`
}
