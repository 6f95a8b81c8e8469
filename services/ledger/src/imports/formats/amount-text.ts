import { readAmount } from './statement-values.ts'

/** The decimal separator. */
export type DecimalMark = '.' | ','

const LENGTH_MAX = 50
const WRITTEN = /^([+-]?)(\(?)([+-]?)([\d.,' ]*)(\)?)([+-]?)$/
const GROUPED = {
  '.': /^(?:\d+|\d{1,3}(?:(?<mark>[,' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
  ',': /^(?:\d+|\d{1,3}(?:(?<mark>[.' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
}

/**
 * Returns the decimal separator of a file, by majority of its amounts; a point on a tie. In an
 * amount with both separators, the last one is decimal. A single separator is decimal unless three
 * digits follow. A separator that can only group thousands counts for the other one.
 */
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
 * Returns the exact amount in minor units, or null if the text is no amount (`readAmount`).
 * Thousands may be grouped by the other separator, blanks or apostrophes. The sign may be in front,
 * behind, or parentheses. The currency may be a symbol or a code.
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

/** Returns the decimal separator that an amount shows; null if it could be either. */
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

/**
 * Returns whether digits are grouped correctly: the last group has three digits, earlier groups may
 * have two, as in India.
 */
function isWhole(digits: string, mark: DecimalMark): boolean {
  return GROUPED[mark].test(digits) && /(?:^\d+|\D\d{3})$/.test(digits)
}

/** Removes the currency and converts blanks, apostrophes and minus signs to ASCII. */
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
