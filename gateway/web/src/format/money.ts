import { decimalOf, decimalsOf, type Manner } from './currency.ts'
import { isolated } from './isolation.ts'

const formats = new Map<string, Intl.NumberFormat>()

/** Cached: creating a format takes 50 times as long as using it. */
function formatOf(locale: string, options: Intl.NumberFormatOptions): Intl.NumberFormat {
  const key = `${locale} ${JSON.stringify(options)}`
  const found = formats.get(key) ?? new Intl.NumberFormat(locale, options)
  formats.set(key, found)
  return found
}

/** Returns an amount in minor units with its currency: `$1,234.50`, `−$12.50`, `1.234,50 €`. */
export function formatMoney(amount: number, { locale, currency }: Manner): string {
  const format = formatOf(locale, { style: 'currency', currency })
  return written(format, decimalOf(amount, currency))
}

/** Returns an amount in minor units without its currency: `1,234.50`, `−12.50`. */
export function formatAmount(amount: number, { locale, currency }: Manner): string {
  return written(formatOf(locale, plain(currency)), decimalOf(amount, currency))
}

/**
 * Amount in whole units, such as dollars, from which axis labels are compact: `$2.5M` instead of
 * zeros.
 */
const compactMin = 100_000

/**
 * Formats the amounts of an axis as short as possible without rounding: `$1,200`, `$2.5M`,
 * `−$0.50`.
 */
export function formatAxis(amounts: number[], { locale, currency }: Manner): string[] {
  const unit = 10 ** decimalsOf(currency)
  const isCompact = amounts.some((one) => Math.abs(one) >= compactMin * unit)
  const isWhole = amounts.every((one) => one % unit === 0)
  const format = formatOf(locale, {
    style: 'currency',
    currency,
    minimumFractionDigits: isCompact || isWhole ? 0 : decimalsOf(currency),
    maximumFractionDigits: isCompact ? 2 : isWhole ? 0 : decimalsOf(currency),
    ...(isCompact ? { notation: 'compact' } : {}),
  })
  return amounts.map((one) => written(format, decimalOf(one, currency)))
}

/** Formats a change of a sum, with its sign and its currency: `−$12.50`, `+$5.00`. */
export function formatChange(amount: number, { locale, currency }: Manner): string {
  const format = formatOf(locale, { style: 'currency', currency, signDisplay: 'exceptZero' })
  return written(format, decimalOf(amount, currency))
}

/**
 * Formats the amount of a transaction: payments with a minus, deposits with a plus. The API has the
 * opposite signs.
 */
export function formatFlow(amount: number, { locale, currency }: Manner): string {
  const format = formatOf(locale, { ...plain(currency), signDisplay: 'exceptZero' })
  return written(format, decimalOf(amount === 0 ? 0 : -amount, currency))
}

function plain(currency: string): Intl.NumberFormatOptions {
  const decimals = decimalsOf(currency)
  return { minimumFractionDigits: decimals, maximumFractionDigits: decimals }
}

/**
 * Formats a decimal with the minus sign U+2212 in place of the hyphen: it is as wide as a digit, so
 * amounts below each other stay aligned.
 */
function written(format: Intl.NumberFormat, decimal: `${number}`): string {
  return isolated(format.format(decimal).replace('-', '−'))
}
