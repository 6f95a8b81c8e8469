import { parseDate } from '@internationalized/date'
import { isolated } from './isolation.ts'

const formats = new Map<string, Intl.DateTimeFormat>()

/**
 * Returns a format with words in a language, and with the order and digits of the region of a
 * locale.
 */
function formatIn(
  { language, locale }: Regional,
  options: Intl.DateTimeFormatOptions,
): Intl.DateTimeFormat {
  const own = new Intl.Locale(locale)
  return formatOf(
    own.language === language ? locale : `${language}-${own.maximize().region}`,
    options,
  )
}

function formatOf(locale: string, options: Intl.DateTimeFormatOptions): Intl.DateTimeFormat {
  const key = `${locale} ${JSON.stringify(options)}`
  const found = formats.get(key) ?? new Intl.DateTimeFormat(locale, options)
  formats.set(key, found)
  return found
}

/** Returns the day of an instant (RFC 3339) in a timezone, as `2026-11-20`. */
export function dayOf(instant: string | Date, timezone: string): string {
  const options = { timeZone: timezone, year: 'numeric', month: '2-digit', day: '2-digit' } as const
  const parts = formatOf('en-US-u-ca-gregory', options).formatToParts(new Date(instant))
  const partOf = (type: string) => parts.find((one) => one.type === type)?.value ?? ''
  return `${partOf('year').padStart(4, '0')}-${partOf('month')}-${partOf('day')}`
}

/** Returns the first instant of a day in a timezone (RFC 3339, UTC), as the API takes days. */
export function instantOf(day: string, timezone: string): string {
  return parseDate(day).toDate(timezone).toISOString()
}

/** Returns the day that is `days` later. */
export function dayAfter(day: string, days: number): string {
  return parseDate(day).add({ days }).toString()
}

/** Returns the number of days from one day to another. */
export function daysBetween(from: string, to: string): number {
  return Math.round((Date.parse(to) - Date.parse(from)) / 86_400_000)
}

/** Formats a day in words, such as `Friday, November 20`; with the year unless it is this year. */
export function formatDay(day: string, { today, ...regional }: OnDay) {
  const isThisYear = day.slice(0, 4) === today.slice(0, 4)
  const year = isThisYear ? {} : ({ year: 'numeric' } as const)
  const options = { weekday: 'long', month: 'long', day: 'numeric', timeZone: 'UTC' } as const
  const partsOf = (more: object) =>
    formatIn(regional, { ...options, ...more }).formatToParts(Date.parse(day))
  // British English has a comma behind the weekday only with a year: the days of a list are alike.
  const gap = partsOf({})[1]?.value
  const parts = partsOf(year).map(({ value }, index) => (index === 1 ? gap : value))
  return isolated(parts.join(''))
}

/** Formats a day in few characters, such as `Nov 20`; with the year unless it is this year. */
export function formatShortDay(day: string, { today, ...regional }: OnDay) {
  const isThisYear = day.slice(0, 4) === today.slice(0, 4)
  const year = isThisYear ? {} : ({ year: 'numeric' } as const)
  const options = { month: 'short', day: 'numeric', timeZone: 'UTC', ...year } as const
  return isolated(formatIn(regional, options).format(Date.parse(day)))
}

/**
 * Formats the distance of a day from today in the language of the text around it: `today`, `in 12
 * days`, `in 3 months`.
 */
export function formatDistance(
  day: string,
  { today, language }: Record<'today' | 'language', string>,
) {
  const days = daysBetween(today, day)
  const format = new Intl.RelativeTimeFormat(language, { numeric: 'auto' })
  if (Math.abs(days) < 60) return format.format(days, 'day')
  const months = Math.round(days / 30.44)
  if (Math.abs(months) < 24) return format.format(months, 'month')
  return format.format(Math.round(days / 365.25), 'year')
}

/** Formats an instant as a short day with its year and time: `Nov 20, 2026, 1:30 PM`. */
export function formatInstant(instant: string, { timezone: timeZone, ...regional }: Place): string {
  // A `dateStyle` would be `20.11.2026` in German, beside `20. Nov.` of short days.
  const options = { month: 'short', day: 'numeric', year: 'numeric', timeZone } as const
  const day = formatIn(regional, options).format(new Date(instant))
  const time = formatIn(regional, { timeStyle: 'short', timeZone }).format(new Date(instant))
  return isolated(`${day}, ${time}`)
}

/** Language of the text around a day, and the locale (BCP 47) of the user's region. */
export interface Regional {
  language: string
  locale: string
}

interface OnDay extends Regional {
  today: string
}

/** `Regional` with the timezone (IANA) of the user. */
export interface Place extends Regional {
  timezone: string
}
