import type { Day } from '@coffer/kit/values/day'
import { type DayOrder, detectDayOrder, fullYear } from './day-text.ts'
import { monthOf } from './month-names.ts'

const PARTS = /Y+|M+|D+/g
const DIGITS: Readonly<Record<string, string>> = {
  YYYY: '(?<year>\\d{4})',
  YY: '(?<year>\\d{2})',
  MMM: '(?<name>\\p{L}{3,}\\.?)',
  MM: '(?<month>\\d{2})',
  M: '(?<month>\\d{1,2})',
  DD: '(?<day>\\d{2})',
  D: '(?<day>\\d{1,2})',
}
/** Text that may follow the date in its cell: a point, a time, or nothing. */
const AFTER = String.raw`(?<after>\.?|[ T,.-]+\d{1,2}[:.h]\d{2}.*)`
/** Dates of three numbers with two equal separators. */
const NUMERIC = new RegExp(String.raw`^(\d{1,4})([-/.])(\d{1,2})\2(\d{1,2}|\d{4})${AFTER}$`)
/** Dates without separators; a time may follow, with the fraction and timezone of OFX. */
const COMPACT =
  /^(?:19|20|21)\d\d(?:0[1-9]|1[0-2])(?:0[1-9]|[12]\d|3[01])(?:\d{4}|\d{6}(?:\.\d+)?(?:\[.+\])?)?$/
const NAMED = new RegExp(
  String.raw`^(?:(\d{1,2})([-/. ]{1,2})(\p{L}{3,}\.?)|(\p{L}{3,}\.?) (\d{1,2}))` +
    String.raw`([-/. ,]{1,2})(\d{4}|\d{2})${AFTER}$`,
  'u',
)
const LENGTH_MAX = 40

/**
 * Returns a parser of dates in a format. The parser returns null for other texts, ignores text
 * after the date, such as a time, and does not check that the day exists.
 */
export function createDayParser(format: string): (text: string) => Day | null {
  const source = format
    .replace(/[.\-/ ,]/g, (mark) => `[${mark}]`)
    .replace(PARTS, (part) => DIGITS[part] ?? part)
  // A date without separators may have a time without separators, as in `20261231235959`.
  const time = /^[YMD]+$/.test(format) ? '(?:\\d{4}|\\d{6})?' : ''
  const pattern = new RegExp(`^${source}${time}(?!\\d)`, 'u')
  return (text) => {
    const { year, month, name, day } = pattern.exec(text)?.groups ?? {}
    if (year === undefined) return null
    const isShort = year.length === 2
    return {
      year: isShort ? fullYear(Number(year)) : Number(year),
      month: name === undefined ? Number(month) : (monthOf(name) ?? 0),
      day: Number(day),
    }
  }
}

/** Swaps day and month to the given order in a numeric format with the year at its end. */
export function inOrder(format: string, order: DayOrder): string {
  const isNumeric = !format.startsWith('Y') && !format.includes('MMM')
  const isDayFirst = format.indexOf('D') < format.indexOf('M')
  if (!isNumeric || isDayFirst === (order === 'day first')) return format
  return format.replace(/D+|M+/g, (part) => (part[0] === 'D' ? 'M' : 'D').repeat(part.length))
}

/** Returns whether a cell is a date, optionally with a time, and nothing else. */
export function isWrittenDay(text: string): boolean {
  if (text.length > LENGTH_MAX || !/^[\p{L}\d]/u.test(text)) return false
  const named = /^\d*[-/. ]*\p{L}/u.test(text) ? NAMED.exec(text) : null
  if (named !== null) return monthOf(named[3] ?? named[4] ?? '') !== undefined
  if (COMPACT.test(text)) return true
  const [, first = '', , second = '', last = ''] = NUMERIC.exec(text) ?? []
  if (first.length === 4) return isMonthAndDay(second, last)
  const hasYear = first.length < 3 && last.length > 1
  return hasYear && (isMonthAndDay(first, second) || isMonthAndDay(second, first))
}

/** The format of a column of dates; `isSure` is false if day and month may be swapped. */
export type DayFormat = { format: string; isSure: boolean }

/**
 * Returns the format of a column of dates (docs/files.md#csv-mappings); null if there are none. If
 * all dates are ambiguous, day and month have the `preferred` order.
 */
export function detectDayFormat(cells: readonly string[], preferred: DayOrder): DayFormat | null {
  const days = mostAlike(cells.filter(isWrittenDay))
  const [first = ''] = days
  const written = days.map((day) => NUMERIC.exec(day)).filter((parts) => parts !== null)
  if (written.length > 0) return formatNumeric(written, preferred)
  const named = NAMED.exec(first)
  if (named !== null) return { format: formatNamed(named), isSure: true }
  return COMPACT.test(first) ? { format: 'YYYYMMDD', isSure: true } : null
}

/** Returns the dates of the most frequent notation: lines above the table may use another one. */
function mostAlike(days: readonly string[]): string[] {
  const alike = Map.groupBy(days, (day) => {
    const [, start = '', mark = ''] = NUMERIC.exec(day) ?? []
    return mark === '' ? '' : `${start.length === 4}${mark}`
  })
  const [most = []] = [...alike.values()].toSorted((one, other) => other.length - one.length)
  return most
}

function formatNumeric(written: readonly RegExpExecArray[], preferred: DayOrder): DayFormat {
  const [, start = '', mark = '.'] = written[0] ?? []
  const part = (letter: string, at: number) => {
    const isShort = written.some((one) => one[at]?.length === 1)
    return isShort ? letter : letter.repeat(2)
  }
  if (start.length === 4) {
    return { format: ['YYYY', part('M', 3), part('D', 4)].join(mark), isSure: true }
  }
  const isSame = written.every((one) => Number(one[1]) === Number(one[3]))
  const texts = written.map(([, one, between, two, last]) => [one, two, last].join(between))
  const order = detectDayOrder(texts, preferred)
  const letters = order === 'day first' ? ['D', 'M'] : ['M', 'D']
  const year = written.every((one) => one[4]?.length === 2) ? 'YY' : 'YYYY'
  const format = [part(letters[0] ?? '', 1), part(letters[1] ?? '', 3), year].join(mark)
  return { format, isSure: isSame || order === detectDayOrder(texts, otherOrder(preferred)) }
}

function formatNamed([, day, mark, , , , last, year = '']: RegExpExecArray): string {
  const years = year.length === 2 ? 'YY' : 'YYYY'
  return day === undefined ? `MMM D${last}${years}` : `D${mark}MMM${last}${years}`
}

function otherOrder(order: DayOrder): DayOrder {
  return order === 'day first' ? 'month first' : 'day first'
}

function isMonthAndDay(month: string, day: string): boolean {
  const [m, d] = [Number(month), Number(day)]
  return m >= 1 && m <= 12 && d >= 1 && d <= 31
}
