import { dayAfter, type Regional } from './days.ts'
import { plainDigits, plainText } from './plain-text.ts'

/** Context in which a typed day is parsed. */
export interface DayReading extends Regional {
  /** `2026-11-20` */
  today: string
  /**
   * Whether an incomplete day, such as `fri`, means the next one, as in plans; otherwise the last
   * one.
   */
  isAhead?: boolean
}

/**
 * Unless `isAhead`, a day without its year, such as `nov 5`, is taken for one in the future only if
 * it is at most this number of days ahead, as a payment that is due; otherwise for one in the past.
 */
const daysMax = 31

/**
 * Parses a typed day into `2026-11-20`; null if it is none. Numeric days have the order of the
 * locale; points always mean day before month. Names of days and months may be in the locale, in
 * the language of the app or in English, and abbreviated: `5.11`, `11/5`, `5`, `fri`, `next fri`,
 * `nov 5`, `last day`, `tomorrow`, `+3`.
 */
export function parseDay(typed: string, reading: DayReading): string | null {
  const text = plainDigits(typed.normalize('NFKC').replaceAll(/[\u200e\u200f]/g, ''))
    .trim()
    .toLowerCase()
  if (text === '') return null
  return (
    offsetDay(text, reading) ??
    figuresDay(text, reading) ??
    weekday(text, reading) ??
    lastDay(text, reading) ??
    namedDay(text, reading)
  )
}

/**
 * Formats a day for the input field: numeric, in the order of the locale, so that it parses again.
 */
export function dayText(day: string, locale: string): string {
  if (day === '') return ''
  const as = new Intl.Locale(locale, { calendar: 'gregory', numberingSystem: 'latn' })
  const options = { year: 'numeric', month: '2-digit', day: '2-digit', timeZone: 'UTC' } as const
  const text = new Intl.DateTimeFormat(as, options).format(Date.parse(day))
  return text.replaceAll(/[\u200e\u200f]/g, '')
}

/**
 * Parses `today`, `yesterday` and `tomorrow` in any of the languages, and a number of days from
 * today, such as `+3`.
 */
function offsetDay(text: string, { today, ...regional }: DayReading): string | null {
  const [, count] = /^([+-]\d{1,3})$/.exec(text) ?? []
  if (count !== undefined) return dayAfter(today, Number(count))
  const named = [0, -1, 1].find((days) =>
    languagesOf(regional).some((one) => {
      const name = new Intl.RelativeTimeFormat(one, { numeric: 'auto' }).format(days, 'day')
      return isCutOff(text, name, 3)
    }),
  )
  return named === undefined ? null : dayAfter(today, named)
}

/** Parses `last day` of this month, or of a named month. */
function lastDay(text: string, reading: DayReading): string | null {
  const found = /^(?:last|letzter)(?: day| tag)?(?:(?: of| im)? (\p{L}+))?$/u.exec(text)
  if (found === null) return null
  const [, name] = found
  const { today, isAhead = false } = reading
  const [year = 0, month = 0] = today.split('-').map(Number)
  const endOf = (y: number, m: number) => new Date(Date.UTC(y, m, 0)).toISOString().slice(0, 10)
  if (name !== undefined) {
    const named = monthOf(name, reading)
    if (named === null) return null
    return chosenOf(
      [year - 1, year, year + 1].map((one) => endOf(one, named)),
      reading,
    )
  }
  const end = endOf(year, month)
  if (isAhead) return end > today ? end : endOf(year, month + 1)
  return end === today ? end : endOf(year, month - 1)
}

/** Parses numeric days: with or without the year, or only the day of the month. */
function figuresDay(text: string, reading: DayReading): string | null {
  const [, a = '', sign = '', b = '', c = ''] =
    /^(\d{1,4})(?:([./\s-]+)(\d{1,2})(?:[./\s-]+(\d{1,4}))?)?[./]?$/.exec(text) ?? []
  if (a === '') return null
  if (b === '') return a.length > 2 ? null : dayOfMonth(Number(a), reading)
  if (a.length > 2) return c === '' ? null : isoOf(Number(a), Number(b), Number(c))
  const isDayFirst = sign.startsWith('.') || isDayFirstIn(reading.locale)
  const pairs = isDayFirst
    ? [
        [b, a],
        [a, b],
      ]
    : [
        [a, b],
        [b, a],
      ]
  for (const [month = '', day = ''] of pairs) {
    if (Number(month) > 12) continue
    if (c !== '') return isoOf(yearOf(c), Number(month), Number(day))
    return yearless(Number(month), Number(day), reading)
  }
  return null
}

/** Words before a weekday that say which one is meant, without accents. */
const sides = {
  next: /^(next|nachste[mnrs]?|kommende[mnrs]?) /,
  last: /^(last|letzte[mnrs]?|vorige[mnrs]?|vergangene[mnrs]?) /,
  this: /^(this|diese[mnrs]?) /,
}

/**
 * Parses a weekday: the next one if `isAhead`, else the last one, which may be today. `next fri` is
 * after today and `last fri` before it, `this fri` is that of the week from Monday to Sunday.
 */
function weekday(text: string, reading: DayReading): string | null {
  const { today, isAhead = false } = reading
  const plain = plainText(text).replace(/\.$/, '')
  const side = (['next', 'last', 'this'] as const).find((one) => sides[one].test(plain))
  const name = side ? plain.replace(sides[side], '') : plain
  const sinceMonday = (new Date(today).getUTCDay() + 6) % 7
  const from = side ? { next: 1, last: -7, this: -sinceMonday }[side] : isAhead ? 1 : -6
  const fits = (day: string) => weekdayNames(day, reading).some((one) => isCutOff(name, one, 2))
  const found = [0, 1, 2, 3, 4, 5, 6].map((at) => dayAfter(today, from + at)).filter(fits)
  // Null if the text is ambiguous over the languages: `do` begins both `Donnerstag` and `domingo`.
  return found.length === 1 ? (found[0] ?? null) : null
}

/** Parses a day with the name of its month: `nov 5`, `5 nov 2026`, `5. November`. */
function namedDay(text: string, reading: DayReading): string | null {
  const parts = text.split(/[\s.,]+/).filter(Boolean)
  const name = parts.find((one) => /^\p{L}/u.test(one))
  const [day = '', year = '', more] = parts.filter((one) => one !== name)
  const isPlain = /^\d{1,2}$/.test(day) && /^(\d{2}|\d{4})?$/.test(year) && more === undefined
  const month = name === undefined ? null : monthOf(name, reading)
  if (month === null || !isPlain) return null
  return year ? isoOf(yearOf(year), month, Number(day)) : yearless(month, Number(day), reading)
}

/**
 * Returns the next day with this number in its month if `isAhead`, else the last one. Months
 * without the number are skipped, such as shorter months for the 31st.
 */
function dayOfMonth(date: number, { today, isAhead = false }: DayReading): string | null {
  const [year = 0, month = 0] = today.split('-').map(Number)
  for (let at = 0; at < 12; at++) {
    const first = new Date(Date.UTC(year, month - 1 + (isAhead ? at : -at), 1))
    const day = isoOf(first.getUTCFullYear(), first.getUTCMonth() + 1, date)
    if (day !== null && (isAhead ? day > today : day <= today)) return day
  }
  return null
}

function yearless(month: number, date: number, reading: DayReading): string | null {
  const year = Number(reading.today.slice(0, 4))
  const days = [-4, -3, -2, -1, 0, 1, 2, 3, 4].map((one) => isoOf(year + one, month, date))
  return chosenOf(
    days.filter((one) => one !== null),
    reading,
  )
}

/**
 * Returns the first candidate after today if `isAhead`, else the last one that is at most `daysMax`
 * days after today.
 */
function chosenOf(days: string[], { today, isAhead = false }: DayReading): string | null {
  if (isAhead) return days.find((one) => one > today) ?? null
  return days.findLast((one) => one <= dayAfter(today, daysMax)) ?? null
}

function isoOf(year: number, month: number, date: number): string | null {
  const day = new Date(Date.UTC(year, month - 1, date))
  const isReal = day.getUTCMonth() === month - 1 && date > 0
  return isReal && year >= 1900 && year <= 9999 ? day.toISOString().slice(0, 10) : null
}

function yearOf(text: string): number {
  return text.length <= 2 ? 2000 + Number(text) : Number(text)
}

function monthOf(text: string, regional: Regional): number | null {
  const months = Array.from({ length: 12 }, (_, at) => at + 1)
  const found = months.find((month) =>
    languagesOf(regional).some((one) => {
      const format = new Intl.DateTimeFormat(one, { month: 'long', timeZone: 'UTC' })
      return isCutOff(text, format.format(Date.UTC(2026, month - 1, 1)), 3)
    }),
  )
  return found ?? null
}

/** Languages in which users type the names of days and months. */
function languagesOf({ locale, language }: Regional): string[] {
  return [locale, language, 'en']
}

function weekdayNames(day: string, regional: Regional): string[] {
  return languagesOf(regional).map((one) =>
    new Intl.DateTimeFormat(one, { weekday: 'long', timeZone: 'UTC' }).format(Date.parse(day)),
  )
}

/**
 * Returns whether a text is a name, or a prefix of it with at least `lengthMin` characters. Case
 * and accents do not matter.
 */
function isCutOff(text: string, name: string, lengthMin: number): boolean {
  const isWhole = plainText(text) === plainText(name)
  return isWhole || (text.length >= lengthMin && plainText(name).startsWith(plainText(text)))
}

function isDayFirstIn(locale: string): boolean {
  const parts = new Intl.DateTimeFormat(locale, { month: 'numeric', day: 'numeric' })
    .formatToParts(0)
    .map(({ type }) => type)
  return parts.indexOf('day') < parts.indexOf('month')
}
