import { readAmount } from './statement-values.ts'

export type DecimalMark = '.' | ','

const LENGTH_MAX = 50
const WRITTEN = /^([+-]?)(\(?)([+-]?)([\d.,' ]*)(\)?)([+-]?)$/
const GROUPED = {
  '.': /^(?:\d+|\d{1,3}(?:(?<mark>[,' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
  ',': /^(?:\d+|\d{1,3}(?:(?<mark>[.' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
}

/** Returns the decimal separator of most amounts; a point on a tie (docs/file-formats.md#csv). */
export function detectDecimalMark(texts: Iterable<string>, places: number): DecimalMark {
  let points = 0
  for (const text of texts) {
    const mark = markShownBy(text, places)
    if (mark !== null) {
      points += mark === '.' ? 1 : -1
    }
  }
  return points < 0 ? ',' : '.'
}

/**
 * Returns an amount in minor units, null if unreadable. Allowed are groups of thousands, a sign in
 * front or behind, parentheses as minus, and the symbol or code of the currency.
 */
export function readWrittenAmount(
  text: string,
  { currency, places, mark }: { currency: string; places: number; mark: DecimalMark },
): bigint | null {
  const match = WRITTEN.exec(bare(text, currency))
  if (match === null) return null
  const [, before, opening, inside = '', digits = '', closing, after = ''] = match
  const signs = `${before}${inside}${after}`
  const isBracketed = opening !== ''
  if (isBracketed !== (closing !== '') || signs.length + (isBracketed ? 1 : 0) > 1) return null
  const at = digits.lastIndexOf(mark)
  const [whole, decimals] = at === -1 ? [digits, ''] : [digits.slice(0, at), digits.slice(at + 1)]
  if (!/^\d*$/.test(decimals) || (whole !== '' && !isWhole(whole.trim(), mark))) return null
  const sign = isBracketed || signs === '-' ? '-' : ''
  return readAmount(`${sign}${whole.replace(/\D/g, '')}.${decimals}`, places)
}

/** Returns the decimal separator that the notation of one amount implies; null if ambiguous. */
function markShownBy(text: string, places: number): DecimalMark | null {
  const [last, previous] = [...text.slice(0, LENGTH_MAX).matchAll(/[.,]/g)].reverse()
  if (last === undefined) return null
  const mark = last[0] === '.' ? '.' : ','
  const other = mark === '.' ? ',' : '.'
  if (previous !== undefined) return previous[0] === mark ? other : mark
  const [after = ''] = /^\d*/.exec(text.slice(last.index + 1)) ?? []
  if (after.length !== 3) return mark
  return places === 3 ? null : other
}

/** Returns whether thousands are grouped correctly, such as `1,000,000` or Indian `10,00,000`. */
function isWhole(digits: string, mark: DecimalMark): boolean {
  return GROUPED[mark].test(digits) && /(?:^\d+|\D\d{3})$/.test(digits)
}

/** Removes the currency, and converts blanks, apostrophes and minus signs to ASCII. */
function bare(text: string, currency: string): string {
  if (text.length > LENGTH_MAX) return 'too long'
  return text
    .toUpperCase()
    .replace(currency, '')
    .replace(/\p{Sc}/u, '')
    .replace(/[\u2212\u2012\u2013]/g, '-')
    .replace(/[\u2019`]/g, "'")
    .replace(/\p{Zs}+/gu, ' ')
    .replace(/^ | $|(?<=[-+(]) | (?=[-+)])/g, '')
}
