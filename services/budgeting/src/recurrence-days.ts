import type { Rule } from '@coffer/kit/ruleset'
import { dayMs } from '@coffer/kit/time'
import rrule from 'rrule'
import { weekday } from './midnight.ts'

const everyWeekday = [0, 1, 2, 3, 4, 5, 6]
const everyMonth = [1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12]
/**
 * The library looks for a match until the year 9999. Stepping there at once ends it after one
 * year.
 */
const intervalPastTheEnd = 9999

/**
 * The days (day numbers, ascending) of one calendar year that belong to `rule` when it starts on
 * `startDay`. COUNT, UNTIL and the start itself are left to the caller. Costs one year of work
 * whatever the rule, so that a rule that never matches is as cheap as any.
 */
export function recurrenceDays(rule: Rule, startDay: number, year: number): number[] {
  const weekly = rule.frequency === 'WEEKLY'
  const first = period(rule, startDay)
  // A week that crosses New Year is one set for BYSETPOS.
  const years = weekly && rule.positions.length > 0 ? [year - 1, year, year + 1] : [year]
  const days = years
    .flatMap((each) => matchingDays(rule, startDay, each))
    .filter((day) => (period(rule, day) - first) % (rule.interval ?? 1) === 0)
  if (rule.positions.length === 0) {
    return days
  }
  // The first week is counted from the start on, as dateutil and its ports do.
  const candidates = weekly ? days.filter((day) => day >= startDay) : days
  return atPositions(rule, candidates).filter((day) => yearOfDay(day) === year)
}

function yearOfDay(day: number): number {
  return new Date(day * dayMs).getUTCFullYear()
}

/**
 * The days that the BY parts select, with what DTSTART implies where there are none (RFC 5545
 * section 3.3.10).
 */
function matchingDays(rule: Rule, startDay: number, year: number): number[] {
  const { frequency, monthDays, yearDays, weeks, weekdays, months } = rule
  const start = new Date(startDay * dayMs)
  const implied = [monthDays, yearDays, weeks, weekdays].every((part) => part.length === 0)
  const byDate = implied && (frequency === 'YEARLY' || frequency === 'MONTHLY')
  const impliedWeekdays = frequency === 'DAILY' ? everyWeekday : [weekday(startDay)]
  const impliedMonths = byDate && frequency === 'YEARLY' ? [start.getUTCMonth() + 1] : []
  const selected = new rrule.RRule(
    {
      freq: rrule.Frequency.YEARLY,
      interval: intervalPastTheEnd,
      dtstart: new Date(Date.UTC(year, 0, 1)),
      wkst: rule.weekStart,
      // A numbered weekday counts within the month when months are named.
      bymonth: orNull(months, frequency === 'MONTHLY' ? everyMonth : impliedMonths),
      bymonthday: orNull(monthDays, byDate ? [start.getUTCDate()] : []),
      byyearday: orNull(yearDays, []),
      byweekno: orNull(weeks, []),
      byweekday: orNull(
        weekdays.map((day) => new rrule.Weekday(day.weekday, day.nth ?? undefined)),
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

/** Keeps the days that BYSETPOS names within their period. */
function atPositions(rule: Rule, days: number[]): number[] {
  const sets = Map.groupBy(days, (day) => period(rule, day))
  return [...sets.values()].flatMap((set) =>
    set.filter(
      (_, index) =>
        rule.positions.includes(index + 1) || rule.positions.includes(index - set.length),
    ),
  )
}
