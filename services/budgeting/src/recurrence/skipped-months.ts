import { say } from '@coffer/kit/reasons/reasons'
import { startOfDay } from '@coffer/kit/values/day'
import type { Rule } from '@coffer/kit/values/ruleset'
import { dayMs, toLocal } from '@coffer/kit/values/time'
import { occurrenceAfter, occurrencesOf } from './recurrence.ts'

/** Number of months that are searched, and maximum number of those that a hint names. */
const [monthsAhead, namedMax] = [49, 5]

const shortest = 28

const monthName = new Intl.DateTimeFormat('en', { month: 'long', timeZone: 'UTC' })

const monthNames = new Intl.DateTimeFormat('en', {
  month: 'long',
  year: 'numeric',
  timeZone: 'UTC',
})

/**
 * Returns hints (docs/api.md#hints) about months from `now` on that a rule of the 29th, 30th or
 * 31st skips because they are shorter (RFC 5545 3.3.10): one for each such day. `ruleset` is valid,
 * null for a goal.
 */
export function rulesetHints(
  ruleset: string | null,
  { timezone, now }: { timezone: string; now: Date },
): string[] {
  if (ruleset === null) return []
  const occurrences = occurrencesOf(ruleset, timezone)
  const { rule } = occurrences
  const start = new Date(occurrences.startDay * dayMs)
  const monthDays = rule.monthDays.length > 0 ? rule.monthDays : [start.getUTCDate()]
  const local = toLocal(now.getTime(), timezone)
  const goesOnAfter = (month: number) => {
    const after = startOfDay(nextMonth(month) / dayMs, timezone)
    return occurrenceAfter(occurrences, after - 1) !== null
  }
  const first = new Date(Math.max(local, start.getTime()))
  const months = listMonths(rule, start, first).filter(goesOnAfter)
  if (months.length === 0) return []
  const goesOn = goesOnAfter(monthAfter(first, monthsAhead - 1))
  const isOfMonth = impliedMonths(rule, start).length > 0
  const noun = isOfMonth ? monthName.format(start) : 'month'
  const month = isOfMonth ? `BYMONTH=${start.getUTCMonth() + 1};` : ''
  const last = [...new Set(monthDays.map((day) => (day > shortest ? -1 : day)))].join()
  return monthDays
    .filter((day) => day > shortest)
    .flatMap((day) => {
      const skipped = months.filter((month) => (nextMonth(month) - month) / dayMs < day)
      if (skipped.length === 0) return []
      const named = skipped.slice(0, namedMax).map((month) => monthNames.format(month))
      const more = goesOn || skipped.length > namedMax ? ' and so on' : ''
      const dates = `${named.join(', ')}${more}`
      const part = `${month}BYMONTHDAY=${last}`
      return say('MONTHS_SKIPPED', { period: noun, day, months: dates, part })
    })
}

/** Lists the months (ms in UTC of their first day) of a monthly or yearly rule, from `first` on. */
function listMonths(rule: Rule, start: Date, first: Date): number[] {
  const { frequency, interval, months } = rule
  const others = [rule.positions, rule.weekdays, rule.yearDays, rule.weeks]
  if (frequency === 'DAILY' || frequency === 'WEEKLY' || others.some((part) => part.length > 0)) {
    return []
  }
  const period = frequency === 'MONTHLY' ? 1 : 12
  const named = months.length > 0 ? months : impliedMonths(rule, start)
  return Array.from({ length: monthsAhead }, (_, ahead) => monthAfter(first, ahead)).filter(
    (ms) => {
      const month = new Date(ms)
      const isNamed = named.length === 0 || named.includes(month.getUTCMonth() + 1)
      return isNamed && (periodOf(month, period) - periodOf(start, period)) % (interval ?? 1) === 0
    },
  )
}

/** Returns the month of a yearly rule that names neither months nor days (RFC 5545 3.3.10). */
function impliedMonths({ frequency, months, monthDays }: Rule, start: Date): number[] {
  const isImplied = frequency === 'YEARLY' && months.length === 0 && monthDays.length === 0
  return isImplied ? [start.getUTCMonth() + 1] : []
}

/** Returns the first day of the month `count` months after that of a day, in ms in UTC. */
function monthAfter(day: Date, count: number): number {
  return Date.UTC(day.getUTCFullYear(), day.getUTCMonth() + count)
}

function periodOf(date: Date, months: number): number {
  return Math.floor((date.getUTCFullYear() * 12 + date.getUTCMonth()) / months)
}

function nextMonth(ms: number): number {
  return monthAfter(new Date(ms), 1)
}
