import { say } from '@coffer/kit/reasons/reasons'
import type { Day } from '@coffer/kit/values/day'
import { monthOf } from './month-names.ts'
import type { Unreadable } from './statement.ts'

export type DayOrder = 'day first' | 'month first'

/** The order of day and month in a file, and the reason in words. */
export type OrderChoice = { order: DayOrder; reason: string }

const LENGTH_MAX = 20
const NAMED_LENGTH_MAX = 30
/** Characters of a date with the name of its month. */
const NAMED = /^[\p{L}\d.,'’ /-]+$/u
const YEAR_FIRST = /^(\d{4})[-/.](\d{1,2})[-/.](\d{1,2})\.?$/
const DIGITS_ONLY = /^((?:19|20|21)\d\d)(\d\d)(\d\d)$/
const YEAR_LAST = /^(\d{1,2})[-/.](\d{1,2})([-/.']{1,2})(\d{4}|\d{1,2})$/
/** Two-digit years below 69 are in the years 2000 to 2068, others in 1969 to 1999 (POSIX). */
const CENTURY_PIVOT = 69

/** Returns the order of day and month in most unambiguous dates; `preferred` on a tie. */
export function detectDayOrder(texts: Iterable<string>, preferred: DayOrder): DayOrder {
  let days = 0
  for (const text of texts) {
    const order = orderShownBy(text)
    if (order !== null) days += order === 'day first' ? 1 : -1
  }
  if (days === 0) return preferred
  return days > 0 ? 'day first' : 'month first'
}

/** Returns the order of an unambiguous date: one of its numbers is above 12. Else null. */
export function orderShownBy(text: string): DayOrder | null {
  const [, first, second] = YEAR_LAST.exec(bare(text)) ?? []
  if (Number(first) > 12) return 'day first'
  return Number(second) > 12 ? 'month first' : null
}

/**
 * Returns the order of day and month in a file: stated by the client, else detected from dates with
 * a number above 12, which are unambiguous. Asks for `dayFirst` if a date is ambiguous, and the
 * unambiguous dates are missing or contradict each other.
 */
export function chooseDayOrder(
  texts: readonly string[],
  dayFirst: boolean | undefined,
): OrderChoice | Unreadable {
  if (dayFirst !== undefined) {
    return { order: dayFirst ? 'day first' : 'month first', reason: say('CHOICE_STATED') }
  }
  const order = detectDayOrder(texts, 'day first')
  const open = texts.find((text) => {
    const [, first, second] = YEAR_LAST.exec(bare(text)) ?? []
    return Number(first) <= 12 && Number(second) <= 12 && Number(first) !== Number(second)
  })
  const shown = texts.find((text) => orderShownBy(text) === order)
  const isDisputed = texts.some((text) => ![null, order].includes(orderShownBy(text)))
  if (open !== undefined && (shown === undefined || isDisputed)) {
    return { unreadable: say('DAY_UNCLEAR', { text: open }), asks: 'dayFirst' }
  }
  if (shown === undefined) return { order, reason: say('DAYS_CLEAR') }
  return {
    order,
    reason: say(order === 'day first' ? 'DAY_FIRST' : 'MONTH_FIRST', { text: shown }),
  }
}

/**
 * Returns the day of a text such as `2024-01-31`, `20240131`, `1/31'24`, `31.01.2024` or
 * `31 janvier 2024`, or null. An apostrophe before a two-digit year means 2000 to 2099. Does not
 * check that the day exists.
 */
export function readWrittenDay(text: string, order: DayOrder): Day | null {
  const written = bare(text)
  const [, year, month, day] = YEAR_FIRST.exec(written) ?? DIGITS_ONLY.exec(written) ?? []
  if (year !== undefined) return { year: Number(year), month: Number(month), day: Number(day) }
  const [, first, second, mark, last] = YEAR_LAST.exec(written) ?? []
  if (mark === undefined || last === undefined) return readNamedDay(text)
  // A year of one digit needs an apostrophe before it: old programs wrote 2005 as `' 5`.
  if (last.length === 1 && !mark.includes("'")) return null
  const [monthText, dayText] = order === 'month first' ? [first, second] : [second, first]
  return { year: yearOf(last, mark), month: Number(monthText), day: Number(dayText) }
}

/** Returns the day of a text with the name of a month, in the languages of `month-names.ts`. */
function readNamedDay(text: string): Day | null {
  if (text.length > NAMED_LENGTH_MAX || !NAMED.test(text)) return null
  const names = text.match(/\p{L}{3,}/gu) ?? []
  const numbers = text.match(/\d+/g) ?? []
  const month = monthOf(names[0] ?? '')
  const [first = '', second = ''] = numbers
  const [day, year] = first.length === 4 ? [second, first] : [first, second]
  if (month === undefined || names.length > 1 || numbers.length !== 2) return null
  if (day.length > 2 || (year.length !== 2 && year.length !== 4)) return null
  return { year: yearOf(year, /['’]/.test(text) ? "'" : ''), month, day: Number(day) }
}

/** Returns the full year of a two-digit year: 1969 to 2068. */
export function fullYear(year: number): number {
  return year < CENTURY_PIVOT ? 2000 + year : 1900 + year
}

/** Removes blanks, which some banks write for leading zeros; '' for more than 20 characters. */
function bare(text: string): string {
  return text.length > LENGTH_MAX
    ? ''
    : text.replaceAll(/[\s’]/g, (one) => (one === '’' ? "'" : ''))
}

function yearOf(text: string, mark: string): number {
  const year = Number(text)
  if (text.length === 4) return year
  return mark.includes("'") ? 2000 + year : fullYear(year)
}
