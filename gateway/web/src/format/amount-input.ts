import { calculate, rounded } from './arithmetic.ts'
import { decimalOf, decimalsOf, type Manner } from './currency.ts'
import { plainDigits } from './plain-text.ts'

/** Maximum length of the text of an amount. */
const lengthMax = 100

/** Returns an amount in minor units as the text of an input field. */
export function amountText(amount: number, { locale, currency }: Manner): string {
  const { decimal } = signsOf(locale)
  return decimalOf(amount, currency).replace('.', decimal)
}

/**
 * Parses a typed amount into minor units; null if it is none. Calculations are allowed:
 * `(12.50+3)*2` is 3100 in EUR, `2x15` is 3000; products are rounded to the minor unit. Comma and
 * point have the meaning of the locale, or the opposite one if only that is possible: `3.120,55` is
 * an amount in en-US too. Digits may be of any script. The symbol or code of the currency may be
 * before or after it. Amounts with more decimals than the currency, or beyond safe integers, are
 * null.
 */
export function parseAmount(text: string, { locale, currency }: Manner): number | null {
  const { decimal, group } = signsOf(locale)
  const bare = withoutCurrency(plainDigits(text), { locale, currency })
    .normalize('NFKC')
    .replaceAll(/[\s'’]/g, '')
    .replaceAll('−', '-')
    .replaceAll(/[×x]/gi, '*')
    .replaceAll('÷', '/')
    .replaceAll(isPlainSign(group) ? '' : group, '')
    .replaceAll(isPlainSign(decimal) ? '.' : decimal, '.')
  if (bare.length > lengthMax) return null
  const isExact = !/[*/]/.test(bare)
  const decimals = decimalsOf(currency)
  const value = calculate(bare, (number) => minorOf(number, { group, decimals, isExact }))
  if (value === null) return null
  const unit = 10n ** BigInt(decimals)
  const amount = Number(rounded({ count: value.count * unit, of: value.of }))
  return Number.isSafeInteger(amount) ? amount : null
}

/**
 * Returns the amount to show below a typed text: the result of a calculation, or an amount whose
 * comma or point might be read otherwise (`1,234` in en-US, `12.50` in de-DE). Null for an amount
 * as the locale writes it, and for invalid texts.
 */
export function echoedAmount(text: string, manner: Manner): number | null {
  const bare = withoutCurrency(plainDigits(text), manner).trim()
  // The letter x multiplies between numbers only: codes of currencies have it too.
  const isCalculated = /[^\s(+−-].*[+−*/×÷-]|[\d)]\s*x\s*[\d(.,]/i.test(bare)
  return isCalculated || isUnusual(bare, manner) ? parseAmount(text, manner) : null
}

/** Returns whether a comma or point is not the only decimal sign of the locale. */
function isUnusual(text: string, { locale, currency }: Manner): boolean {
  if (decimalsOf(currency) === 0) return false
  const { decimal } = signsOf(locale)
  const signs = text.replaceAll(/[^.,]/g, '')
  return signs !== '' && signs.indexOf(decimal) !== signs.length - 1
}

/**
 * Returns the amount in a search text: a number with a sign (`-52`), with decimals (`52.3`), or
 * with the symbol or code of the currency (`52 €`). Null for any other text, also for a whole
 * number, as names contain such numbers.
 */
export function searchedAmount(text: string, manner: Manner): number | null {
  const trimmed = plainDigits(text).trim()
  const bare = withoutCurrency(trimmed, manner).trim()
  const decimals = decimalsOf(manner.currency)
  const isWritten = decimals > 0 && new RegExp(`[.,]\\d{1,${decimals}}$`).test(bare)
  const isAmount = bare !== trimmed || isWritten || /^[-−+]/.test(bare)
  return isAmount && /^[-−+]?[\d.,\s'’]+$/.test(bare) ? parseAmount(bare, manner) : null
}

/**
 * Returns the search text for the amount that a whole number may mean: `750.00` for `750`, and
 * `750 JPY` without decimals. Null for any other text.
 */
export function amountSearchOf(text: string, manner: Manner): string | null {
  const amount = /^[\d.,\s'’]+$/.test(plainDigits(text)) ? parseAmount(text, manner) : null
  if (amount === null || searchedAmount(text, manner) !== null) return null
  const digits = amountText(amount, manner)
  return decimalsOf(manner.currency) > 0 ? digits : `${digits} ${manner.currency}`
}

/** Removes the symbol or code of the currency at one end of a text, or after a leading sign. */
function withoutCurrency(text: string, { locale, currency }: Manner): string {
  const [, minus = '', unsigned = ''] = /^\s*([-−+]?)\s*(.*?)\s*$/su.exec(text) ?? []
  const signs = (['narrowSymbol', 'symbol'] as const).map((currencyDisplay) => {
    const form = { style: 'currency', currency, currencyDisplay } as const
    const parts = new Intl.NumberFormat(locale, form).formatToParts(0)
    return parts.find(({ type }) => type === 'currency')?.value ?? currency
  })
  for (const one of [...signs, currency, currency.toLowerCase()]) {
    if (unsigned.startsWith(one)) return minus + unsigned.slice(one.length)
    if (unsigned.endsWith(one)) return minus + unsigned.slice(0, -one.length)
  }
  return text
}

/** Returns a number in minor units. In a product it may have more decimals than the currency. */
function minorOf(
  digits: string,
  as: { group: string; decimals: number; isExact: boolean },
): { count: bigint; of: bigint } | null {
  const [whole, fraction] = partsOf(digits, as.group) ?? ['', '']
  if (`${whole}${fraction}` === '' || (as.isExact && fraction.length > as.decimals)) return null
  return {
    count: BigInt(`${whole}${fraction}`),
    of: 10n ** BigInt(fraction.length),
  }
}

/**
 * Returns the digits before and after the decimal separator; null if the separators are ambiguous.
 */
function partsOf(text: string, group: string): [string, string] | null {
  const at = Math.max(text.lastIndexOf('.'), text.lastIndexOf(','))
  const last = text[at]
  if (last === undefined) return [text, '']
  const other = last === '.' ? ',' : '.'
  const [whole, fraction] = [text.slice(0, at), text.slice(at + 1)]
  if (text.includes(other)) {
    return isGrouped(whole, other) ? [whole.replaceAll(other, ''), fraction] : null
  }
  const isOnce = !whole.includes(last)
  if (isGrouped(text, last) && (last === group || !isOnce)) return [text.replaceAll(last, ''), '']
  return isOnce ? [whole, fraction] : null
}

/**
 * Returns whether a sign separates groups of digits: of three, in India of two before the last
 * three.
 */
function isGrouped(text: string, sign: string): boolean {
  const [first = '', ...groups] = text.split(sign)
  const sizes = groups.map(({ length }) => length)
  return (
    /^\d{1,3}$/.test(first) &&
    groups.length > 0 &&
    groups.every((one) => /^\d+$/.test(one)) &&
    sizes.at(-1) === 3 &&
    (sizes.every((size) => size === 3) || sizes.slice(0, -1).every((size) => size === 2))
  )
}

function isPlainSign(sign: string): boolean {
  return sign === '.' || sign === ','
}

function signsOf(locale: string): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(12_345.6)
  const signOf = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return { decimal: signOf('decimal') || '.', group: signOf('group').trim() || '\u00a0' }
}
