import type { Rule } from '@coffer/kit/values/ruleset'
import { dayMs } from '@coffer/kit/values/time'
import rrule from 'rrule'
import { intervalPastTheEnd } from './recurrence-bounds.ts'
import { weekday } from './weekday.ts'

const everyWeekday = [0, 1, 2, 3, 4, 5, 6]
const everyMonth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
const weeksOfYear = 53
const weeksOfMonth = 5
const daysOfMeanYear = 365.2425

/** Returns the days of a rule in a calendar year: ascending day numbers (days since 1970-01-01). */
export type DaysOfYear = (year: number) => number[]

/**
 * Returns a function from a year to the days of `rule` (RFC 5545 3.3.10); COUNT, UNTIL and DTSTART
 * do not limit them. Calls the rrule library once for each kind of calendar year, which bounds the
 * cost of rules without a match (docs/recurrence.md#cost-of-a-hostile-rule).
 */
export function recurrenceDays(rule: Rule, startDay: number): DaysOfYear {
  const startYear = yearOfDay(startDay)
  const isByWeek = rule.weeks.length > 0
  const matching = byKind((year) => matchingDays(rule, startDay, year), isByWeek)
  // BYSETPOS selects within a whole week, including a week that crosses New Year, so days of the
  // neighbouring years are included.
  const around = (year: number) => [
    ...matching(year - 1).filter((day) => day >= newYear(year) - 6),
    ...matching(year),
    ...matching(year + 1).filter((day) => day <= newYear(year + 1) + 6),
  ]
  // As in python-dateutil, BYSETPOS ignores days of the first week that are before DTSTART.
  const firstWeeks = (year: number) => around(year).filter((day) => day >= startDay)
  const hasWeeks = isByWeek || rule.frequency === 'WEEKLY'
  const selected = byKind(
    (year) => positioned(rule, hasWeeks ? around(year) : matching(year), year),
    hasWeeks,
  )
  const days = (year: number) => {
    const crossesStart = rule.frequency === 'WEEKLY' && Math.abs(year - startYear) <= 1
    return crossesStart ? positioned(rule, firstWeeks(year), year) : selected(year)
  }
  const all = rule.positions.length === 0 ? matching : days
  return (rule.interval ?? 1) === 1 ? all : everyNth(rule, startDay, all)
}

/** Returns the days in every INTERVALth period, counted from the period of DTSTART. */
function everyNth(rule: Rule, startDay: number, daysOf: DaysOfYear): DaysOfYear {
  const first = period(rule, startDay)
  const isIn = (day: number) => (period(rule, day) - first) % (rule.interval ?? 1) === 0
  if (rule.frequency === 'DAILY' || rule.frequency === 'WEEKLY') {
    return (year) => daysOf(year).filter(isIn)
  }
  return (year) => {
    const starts = Array.from({ length: 13 }, (_, month) => Date.UTC(year, month, 1) / dayMs)
    const months = everyMonth.filter((month) => isIn(starts[month - 1] as number))
    if (months.length === 0) return []
    const days = daysOf(year)
    return months.flatMap((month) => {
      const [from, before] = starts.slice(month - 1, month + 1) as [number, number]
      return days.filter((day) => from <= day && day < before)
    })
  }
}

/**
 * Memoizes days by kind of year: weekday of New Year and length of the year; for rules that count
 * by weeks, also the lengths of the years before and after. Years of one kind have the same days,
 * counted from New Year.
 */
function byKind(daysOf: DaysOfYear, hasWeeks: boolean): DaysOfYear {
  const kinds = new Map<string, number[]>()
  return (year) => {
    const start = newYear(year)
    const reached = hasWeeks ? [year - 1, year, year + 1] : [year]
    const lengths = reached.map((each) => newYear(each + 1) - newYear(each))
    const kind = [weekday(start), ...lengths].join(' ')
    const known = kinds.get(kind) ?? daysOf(year).map((day) => day - start)
    kinds.set(kind, known)
    return known.map((day) => day + start)
  }
}

/** Returns the day number of 1 January. */
function newYear(year: number): number {
  const leapDays =
    Math.floor((year - 1969) / 4) -
    Math.floor((year - 1901) / 100) +
    Math.floor((year - 1601) / 400)
  return 365 * (year - 1970) + leapDays
}

/**
 * Returns the calendar year of a day number, which may have a fraction. Arithmetic takes a tenth of
 * the time of a Date.
 */
export function yearOfDay(day: number): number {
  const near = 1970 + Math.floor(day / daysOfMeanYear)
  if (day < newYear(near)) return near - 1
  return day < newYear(near + 1) ? near : near + 1
}

/** Returns the days that the BY parts select. DTSTART implies missing parts (RFC 5545 3.3.10). */
function matchingDays(rule: Rule, startDay: number, year: number): number[] {
  const { frequency, monthDays, yearDays, weeks, weekdays } = rule
  const start = new Date(startDay * dayMs)
  const implied = [monthDays, yearDays, weeks, weekdays].every((part) => part.length === 0)
  const byDate = implied && (frequency === 'YEARLY' || frequency === 'MONTHLY')
  const impliedWeekdays = frequency === 'DAILY' ? everyWeekday : [weekday(startDay)]
  const impliedMonths = byDate && frequency === 'YEARLY' ? [start.getUTCMonth() + 1] : []
  // With BYMONTH, a numbered weekday counts within the month, otherwise within the year.
  const months = orNull(rule.months, frequency === 'MONTHLY' ? everyMonth : impliedMonths)
  const nthMax = months === null ? weeksOfYear : weeksOfMonth
  const possible = weekdays.filter((day) => Math.abs(day.nth ?? 1) <= nthMax)
  if (weekdays.length > 0 && possible.length === 0) return []
  const selected = new rrule.RRule(
    {
      freq: rrule.Frequency.YEARLY,
      interval: intervalPastTheEnd,
      dtstart: new Date(Date.UTC(year, 0, 1)),
      wkst: rule.weekStart,
      bymonth: months,
      bymonthday: orNull(monthDays, byDate ? [start.getUTCDate()] : []),
      byyearday: orNull(yearDays, []),
      byweekno: orNull(weeks, []),
      byweekday: orNull(
        possible.map((day) => new rrule.Weekday(day.weekday, day.nth ?? undefined)),
        implied && !byDate ? impliedWeekdays.map((day) => new rrule.Weekday(day)) : [],
      ),
    },
    true,
  )
  return selected.all().map((date) => date.getTime() / dayMs)
}

function orNull<T>(given: T[], implied: T[]): T[] | null {
  const values = given.length > 0 ? given : implied
  return values.length > 0 ? values : null
}

/** Returns the serial number of the period (day, week, month or year) that contains a day. */
function period(rule: Rule, day: number): number {
  if (rule.frequency === 'DAILY') return day
  if (rule.frequency === 'WEEKLY') return Math.floor((day + 3 - rule.weekStart) / 7)
  const date = new Date(day * dayMs)
  return rule.frequency === 'YEARLY'
    ? date.getUTCFullYear()
    : date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Selects days by BYSETPOS within their period; leaves out days outside the year. */
function positioned(rule: Rule, days: number[], year: number): number[] {
  const positions = new Set(rule.positions)
  const sets = Map.groupBy(days, (day) => period(rule, day))
  return [...sets.values()]
    .flatMap((set) =>
      set.filter((_, index) => positions.has(index + 1) || positions.has(index - set.length)),
    )
    .filter((day) => yearOfDay(day) === year)
}
