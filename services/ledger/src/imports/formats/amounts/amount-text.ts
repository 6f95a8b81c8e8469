import type { DecimalMark } from '../statement.ts'
import { readAmount } from '../statement-values.ts'
import { isSignOf, symbolsOf } from './currency-symbols.ts'

/** Notation of the amounts in a file: `places` is the number of the currency's decimals. */
export type AmountNotation = { currency: string; places: number; mark: DecimalMark }

const LENGTH_MAX = 50
const WRITTEN = /^(--|[+-]?)(\(?)([+-]?)([\d.,' ]*)(\)?)([+-]?)$/
const GROUPED = {
  '.': /^(?:\d+|\d{1,3}(?:(?<mark>[,' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
  ',': /^(?:\d+|\d{1,3}(?:(?<mark>[.' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
}
/** Suffix for debit or credit: a word, or after digits a single letter (German `S`, `H`). */
const DIRECTION = /(?:\s*(?<!\p{L})(CR|DR|DB)\.?|(?<=\d) ?([CDHS]))$/u
const DEBITS = new Set(['DR', 'DB', 'D', 'S'])

/**
 * Returns an amount in minor units; null if unreadable (docs/file-formats.md#amounts). Allowed are
 * groups of thousands, the symbol or code of the currency, and one sign: `+` or `-` before or after
 * the number, `--` for a reversal, parentheses, `DR`, `DB`, `D` or `S` as minus, `CR`, `C` or `H`
 * as plus.
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
  // An unambiguous amount, such as `12,5` or `1.234,50`, overrides the decimal mark of the file.
  const mark = markShownBy(digits) ?? notation.mark
  const at = digits.lastIndexOf(mark)
  const [whole, decimals] = at === -1 ? [digits, ''] : [digits.slice(0, at), digits.slice(at + 1)]
  if (!/^\d*$/.test(decimals) || (whole !== '' && !isWhole(whole.trim(), mark))) return null
  const sign = ['-', '(', 'DR'].includes(signs[0] ?? '') ? '-' : ''
  return readAmount(`${sign}${whole.replace(/\D/g, '')}.${decimals}`, notation.places)
}

/** Returns the direction that a debit or credit suffix states; null without a suffix. */
export function directionBehind(text: string, currency: string): 'DR' | 'CR' | null {
  return directionIn(bareAmount(text, currency))
}

function directionIn(written: string): 'DR' | 'CR' | null {
  const [, word, letter = word] = DIRECTION.exec(written) ?? []
  if (letter === undefined) return null
  return DEBITS.has(letter) ? 'DR' : 'CR'
}

/**
 * Returns the decimal mark of one amount. Null without any mark, and for `1.234`, which is
 * ambiguous: decimals or thousands.
 */
export function markShownBy(digits: string): DecimalMark | null {
  const [last, previous] = [...digits.matchAll(/[.,]/g)].reverse()
  if (last === undefined) return null
  const mark = last[0] as DecimalMark
  if (previous !== undefined) return previous[0] === mark ? otherMark(mark) : mark
  const before = digits.slice(0, last.index)
  const after = digits.length - last.index - 1
  // After four digits, another separator, a leading zero or no digit, the mark does not group
  // thousands, so it is the decimal mark.
  return after !== 3 || /\d{4}|[' ]|^0|^$/.test(before) ? mark : null
}

/** Returns the thousands separator for a decimal mark, and vice versa. */
export function otherMark(mark: DecimalMark): DecimalMark {
  return mark === '.' ? ',' : '.'
}

/** Returns whether thousands are grouped correctly, such as `1,000,000` or Indian `10,00,000`. */
function isWhole(digits: string, mark: DecimalMark): boolean {
  return GROUPED[mark].test(digits) && /(?:^\d+|\D\d{3})$/.test(digits)
}

/** A currency symbol that is not between digits: removing it there would turn `5€00` into 500. */
const OUTER_SIGN = /(?<!\d\s*)\p{Sc}|\p{Sc}(?!\s*\d)/u

/**
 * Normalizes an amount: upper case, no currency, and ASCII blanks, apostrophes and minus signs, for
 * which Japanese banks write triangles. A text above 50 characters is no amount.
 */
export function bareAmount(text: string, currency: string): string {
  if (text.length > LENGTH_MAX) return 'too long'
  // Fast path: most amounts have no letter and no symbol.
  if (/^[-+]?[\d.,]+$/.test(text)) return text
  const upper = text
    .normalize('NFKC')
    .toUpperCase()
    .replace(/\p{Cf}/gu, '')
  return withoutSymbol(upper, currency)
    .replace(OUTER_SIGN, (sign) => (isSignOf(currency, sign) ? '' : sign))
    .replace(/[\u2010-\u2015\u2212△▲]/g, '-')
    .replace(/[\u2019`]/g, "'")
    .replace(/[\p{Zs}\t]+/gu, ' ')
    .replace(/^ | $|(?<=[-+(]) | (?=[-+)])/g, '')
}

/** Removes a currency's letters where they are a whole word and not between digits. */
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
