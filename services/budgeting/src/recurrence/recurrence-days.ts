import type { Rule } from '@coffer/kit/values/ruleset'
import { dayMs } from '@coffer/kit/values/time'
import rrule from 'rrule'
import { weekday } from './midnight.ts'

const everyWeekday = [0, 1, 2, 3, 4, 5, 6]
const everyMonth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
/**
 * The library looks for a match until the year 9999. Stepping there at once ends it after one
 * year.
 */
const intervalPastTheEnd = 9999
const weeksOfYear = 53
const weeksOfMonth = 5

/** The days (day numbers, ascending) of a calendar year that belong to a rule. */
export type DaysOfYear = (year: number) => number[]

/**
 * The days of `rule` when it starts on `startDay`, year by year. COUNT, UNTIL and the start itself
 * are left to the caller. There are few kinds of calendar years, and the library is asked once for
 * each: a rule that never matches is as cheap as any, however many years are looked at.
 */
export function recurrenceDays(rule: Rule, startDay: number): DaysOfYear {
  const startYear = yearOfDay(startDay)
  const isByWeek = rule.weeks.length > 0
  const matching = byKind((year) => matchingDays(rule, startDay, year), isByWeek)
  // A week that crosses New Year is one set for BYSETPOS.
  const around = (year: number) => [
    ...matching(year - 1).filter((day) => day >= newYear(year) - 6),
    ...matching(year),
    ...matching(year + 1).filter((day) => day <= newYear(year + 1) + 6),
  ]
  // The first week is counted from the start on, as dateutil and its ports do.
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

/** The days in every INTERVALth period from that of the start on. */
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
 * Works out the days of one year of each kind, and moves them to the others of that kind: by the
 * weekday on which a year begins, its length and, where a week may reach over from its neighbours,
 * theirs.
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

function newYear(year: number): number {
  return Date.UTC(year, 0, 1) / dayMs
}

function yearOfDay(day: number): number {
  return new Date(day * dayMs).getUTCFullYear()
}

/**
 * The days that the BY parts select, with what DTSTART implies where there are none (RFC 5545
 * section 3.3.10).
 */
function matchingDays(rule: Rule, startDay: number, year: number): number[] {
  const { frequency, monthDays, yearDays, weeks, weekdays } = rule
  const start = new Date(startDay * dayMs)
  const implied = [monthDays, yearDays, weeks, weekdays].every((part) => part.length === 0)
  const byDate = implied && (frequency === 'YEARLY' || frequency === 'MONTHLY')
  const impliedWeekdays = frequency === 'DAILY' ? everyWeekday : [weekday(startDay)]
  const impliedMonths = byDate && frequency === 'YEARLY' ? [start.getUTCMonth() + 1] : []
  // A numbered weekday counts within the month when months are named.
  const months = orNull(rule.months, frequency === 'MONTHLY' ? everyMonth : impliedMonths)
  const nthMax = months === null ? weeksOfYear : weeksOfMonth
  const possible = weekdays.filter((day) => Math.abs(day.nth ?? 1) <= nthMax)
  if (weekdays.length > 0 && possible.length === 0) {
    return []
  }
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

/** The index of the day, week, month or year that holds a day. */
function period(rule: Rule, day: number): number {
  if (rule.frequency === 'DAILY') {
    return day
  }
  if (rule.frequency === 'WEEKLY') {
    return Math.floor((day + 3 - rule.weekStart) / 7)
  }
  const date = new Date(day * dayMs)
  return rule.frequency === 'YEARLY'
    ? date.getUTCFullYear()
    : date.getUTCFullYear() * 12 + date.getUTCMonth()
}

/** Those of the days that BYSETPOS names within their period and that lie in the year. */
function positioned(rule: Rule, days: number[], year: number): number[] {
  const positions = new Set(rule.positions)
  const sets = Map.groupBy(days, (day) => period(rule, day))
  return [...sets.values()]
    .flatMap((set) =>
      set.filter((_, index) => positions.has(index + 1) || positions.has(index - set.length)),
    )
    .filter((day) => yearOfDay(day) === year)
}
