import { decimalOf, decimalsOf, type Manner } from './currency.ts'

/** Returns an amount in minor units as a person would type it into a field. */
export function amountText(amount: number, { locale, currency }: Manner): string {
  const { decimal } = signsOf(locale)
  return decimalOf(amount, currency).replace('.', decimal)
}

/**
 * Returns the amount in minor units that a person typed; null for a text that is none. Sums are
 * added up: `12.50+3-1` is 1450 in EUR. Group separators are those of the locale. More decimals
 * than the currency has are no amount, and neither is one beyond what a number holds exactly.
 */
export function parseAmount(text: string, { locale, currency }: Manner): number | null {
  const { decimal, group } = signsOf(locale)
  const bare = text
    .normalize('NFKC')
    .replaceAll(/[\s'’]/g, '')
    .replaceAll(group, '')
    .replaceAll('−', '-')
    .replace(decimal, '.')
    .replaceAll(decimal, '.')
  const terms = bare.match(/[+-]?[^+-]+/g) ?? []
  if (terms.length === 0 || terms.join('') !== bare) return null
  const amounts = terms.map((term) => minorOf(term, decimalsOf(currency)))
  const sum = amounts.reduce<number>((total, one) => total + (one ?? Number.NaN), 0)
  return Number.isSafeInteger(sum) ? sum : null
}

function minorOf(term: string, decimals: number): number | null {
  const [, sign = '', whole = '', fraction = ''] = /^([+-]?)(\d*)\.?(\d*)$/.exec(term) ?? []
  if (`${whole}${fraction}` === '' || fraction.length > decimals) return null
  const amount = Number(`${whole}${fraction.padEnd(decimals, '0')}`)
  return sign === '-' ? -amount : amount
}

function signsOf(locale: string): { decimal: string; group: string } {
  const parts = new Intl.NumberFormat(locale, { numberingSystem: 'latn' }).formatToParts(12_345.6)
  const signOf = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return { decimal: signOf('decimal') || '.', group: signOf('group').trim() || '\u00a0' }
}
