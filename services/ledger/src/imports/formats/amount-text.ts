import { readAmount } from './statement-values.ts'

/** What stands before the decimals. */
export type DecimalMark = '.' | ','

const LENGTH_MAX = 50
const WRITTEN = /^([+-]?)(\(?)([+-]?)([\d.,' ]*)(\)?)([+-]?)$/
const GROUPED = {
  '.': /^(?:\d+|\d{1,3}(?:(?<mark>[,' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
  ',': /^(?:\d+|\d{1,3}(?:(?<mark>[.' ])\d{2,3}(?:\k<mark>\d{2,3})*)?)$/,
}

/**
 * Which mark the amounts of a file have before their decimals. Each amount that shows it has a say:
 * of two marks the last, a mark that is not followed by three digits, or the other one where a mark
 * can only group thousands. A point when they are even.
 */
export function decimalMarkOf(texts: Iterable<string>, places: number): DecimalMark {
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
 * The exact number of minor units that an amount says, with its thousands grouped or not: by the
 * other mark, blanks or apostrophes; with its sign in front, behind or as parentheses; with the
 * symbol or the code of the currency. Null when it says none (`statement-values.ts`).
 */
export function readWrittenAmount(
  text: string,
  { currency, places, mark }: { currency: string; places: number; mark: DecimalMark },
): bigint | null {
  const match = WRITTEN.exec(bare(text, currency))
  if (match === null) {
    return null
  }
  const [, before, opening, inside = '', digits = '', closing, after = ''] = match
  const signs = `${before}${inside}${after}`
  const isBracketed = opening !== ''
  if (isBracketed !== (closing !== '') || signs.length + (isBracketed ? 1 : 0) > 1) {
    return null
  }
  const at = digits.lastIndexOf(mark)
  const [whole, decimals] = at === -1 ? [digits, ''] : [digits.slice(0, at), digits.slice(at + 1)]
  if (!/^\d*$/.test(decimals) || (whole !== '' && !isWhole(whole.trim(), mark))) {
    return null
  }
  const sign = isBracketed || signs === '-' ? '-' : ''
  return readAmount(`${sign}${whole.replace(/\D/g, '')}.${decimals}`, places)
}

/** The mark that an amount shows to be the decimal one; null when it could be either. */
function markShownBy(text: string, places: number): DecimalMark | null {
  const [last, previous] = [...text.slice(0, LENGTH_MAX).matchAll(/[.,]/g)].reverse()
  if (last === undefined) {
    return null
  }
  const mark = last[0] === '.' ? '.' : ','
  const other = mark === '.' ? ',' : '.'
  if (previous !== undefined) {
    return previous[0] === mark ? other : mark
  }
  const [after = ''] = /^\d*/.exec(text.slice(last.index + 1)) ?? []
  if (after.length !== 3) {
    return mark
  }
  return places === 3 ? null : other
}

/** The last group has three digits; those before it may have two (as in India). */
function isWhole(digits: string, mark: DecimalMark): boolean {
  return GROUPED[mark].test(digits) && /(?:^\d+|\D\d{3})$/.test(digits)
}

/** Without the currency, in plain spaces, apostrophes and minus signs. */
function bare(text: string, currency: string): string {
  if (text.length > LENGTH_MAX) {
    return 'too long'
  }
  return text
    .toUpperCase()
    .replace(currency, '')
    .replace(/\p{Sc}/u, '')
    .replace(/[\u2212\u2012\u2013]/g, '-')
    .replace(/[\u2019`]/g, "'")
    .replace(/\p{Zs}+/gu, ' ')
    .replace(/^ | $|(?<=[-+(]) | (?=[-+)])/g, '')
}
