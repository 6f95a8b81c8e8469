import type { DecimalMark } from '../statement.ts'
import { readAmount } from '../statement-values.ts'
import { isSignOf, symbolsOf } from './currency-symbols.ts'

/** How the amounts of a file are written: decimal mark, currency, and its number of decimals. */
export type AmountNotation = { currency: string; places: number; mark: DecimalMark }

const LENGTH_MAX = 50
const WRITTEN = /^(--|[+-]?)(\(?)([+-]?)([\d.,' ]*)(\)?)([+-]?)$/
const GROUPED = {
  '.': /^(?:\d+|\d{1,3}(?:(?<mark>[,' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
  ',': /^(?:\d+|\d{1,3}(?:(?<mark>[.' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
}
/** Debit and credit behind an amount: words, letters (German `S` and `H`) behind digits only. */
const DIRECTION = /(?:\s*(?<!\p{L})(CR|DR|DB)\.?|(?<=\d) ?([CDHS]))$/u
const DEBITS = new Set(['DR', 'DB', 'D', 'S'])

/**
 * Returns an amount in minor units, null if unreadable (docs/file-formats.md#amounts). Allowed are
 * groups of thousands, one sign in front or behind, `--` for a reversal, parentheses or `DR`,
 * `DB`, `D`, `S` as minus, `CR`, `C`, `H` as plus, and the symbol or code of the currency.
 */
export function readWrittenAmount(text: string, notation: AmountNotation): bigint | null {
  const written = bareAmount(text, notation.currency)
  const direction = directionIn(written)
  const match = WRITTEN.exec(written.replace(DIRECTION, ''))
  if (match === null) return null
  const [, before = '', opening, inside = '', digits = '', closing, after = ''] = match
  const isBracketed = opening !== ''
  const signs = [before, isBracketed ? '(' : '', inside, after, direction ?? ''].filter(Boolean)
  if (isBracketed !== (closing !== '') || signs.length > 1) return null
  // An amount such as `12,5` or `1.234,50` is written one way only, whatever the others are.
  const mark = markShownBy(digits) ?? notation.mark
  const at = digits.lastIndexOf(mark)
  const [whole, decimals] = at === -1 ? [digits, ''] : [digits.slice(0, at), digits.slice(at + 1)]
  if (!/^\d*$/.test(decimals) || (whole !== '' && !isWhole(whole.trim(), mark))) return null
  const sign = ['-', '(', 'DR'].includes(signs[0] ?? '') ? '-' : ''
  return readAmount(`${sign}${whole.replace(/\D/g, '')}.${decimals}`, notation.places)
}

/** Returns whether the text behind an amount is debit or credit; null without one. */
export function directionBehind(text: string, currency: string): 'DR' | 'CR' | null {
  return directionIn(bareAmount(text, currency))
}

function directionIn(written: string): 'DR' | 'CR' | null {
  const [, word, letter = word] = DIRECTION.exec(written) ?? []
  if (letter === undefined) return null
  return DEBITS.has(letter) ? 'DR' : 'CR'
}

/**
 * Returns the decimal mark that the digits and marks of one amount show; null for those without a
 * mark and for `1.234`, whose mark is either.
 */
export function markShownBy(digits: string): DecimalMark | null {
  const [last, previous] = [...digits.matchAll(/[.,]/g)].reverse()
  if (last === undefined) return null
  const mark = last[0] as DecimalMark
  if (previous !== undefined) return previous[0] === mark ? otherMark(mark) : mark
  const before = digits.slice(0, last.index)
  const after = digits.length - last.index - 1
  // Four digits, another grouping or a leading zero in front of the mark: it is no group.
  return after !== 3 || /\d{4}|[' ]|^0|^$/.test(before) ? mark : null
}

/** Returns the mark of thousands beside a decimal mark, and the other way round. */
export function otherMark(mark: DecimalMark): DecimalMark {
  return mark === '.' ? ',' : '.'
}

/** Returns whether thousands are grouped correctly, such as `1,000,000` or Indian `10,00,000`. */
function isWhole(digits: string, mark: DecimalMark): boolean {
  return GROUPED[mark].test(digits) && /(?:^\d+|\D\d{3})$/.test(digits)
}

/** The sign of a currency, but not between digits: `5€00` would become 500. */
const OUTER_SIGN = /(?<!\d\s*)\p{Sc}|\p{Sc}(?!\s*\d)/u

/**
 * Returns an amount in upper case without its currency, with blanks, apostrophes and minus signs in
 * ASCII. A text above 50 characters is no amount.
 */
export function bareAmount(text: string, currency: string): string {
  if (text.length > LENGTH_MAX) return 'too long'
  // Most amounts have no letter and no symbol.
  if (/^[-+]?[\d.,]+$/.test(text)) return text
  const upper = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/\p{Cf}/gu, '')
  return withoutSymbol(upper, currency)
    .replace(OUTER_SIGN, (sign) => (isSignOf(currency, sign) ? '' : sign))
    .replace(/[\u2010-\u2015\u2212]/g, '-')
    .replace(/[\u2019`]/g, "'")
    .replace(/[\p{Zs}\t]+/gu, ' ')
    .replace(/^ | $|(?<=[-+(]) | (?=[-+)])/g, '')
}

/** Removes the letters of a currency that no other letter touches. */
function withoutSymbol(upper: string, currency: string): string {
  if (!/\p{L}/u.test(upper)) return upper
  for (const symbol of symbolsOf(currency)) {
    const at = upper.indexOf(symbol)
    const end = at + symbol.length
    if (at === -1) continue
    const [before, behind] = [upper.slice(0, at), upper.slice(end)]
    const touches = /\p{L}$/u.test(before) || /^\p{L}/u.test(behind)
    const isInside = /\d\s*$/.test(before) && /^\s*\d/.test(behind)
    if (!touches && !isInside) return `${before} ${behind}`
  }
  return upper
}
