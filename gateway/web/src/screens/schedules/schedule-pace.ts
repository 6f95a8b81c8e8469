import { dayAfter } from '../../format/days.ts'
import {
  type Repeat,
  repeatOf,
  rulesetOf,
  twiceMonthly,
  weekdays,
} from '../../format/recurrence.ts'

/** Recurrences of paydays that the form offers. */
export type Pace = Repeat | 'twice-monthly' | 'month-end'

/** Values that the form proposes for a new payday. */
export interface Proposal {
  pace: Pace
  name?: string
  /** `2026-11-20` */
  day?: string
  /** In minor units. */
  deposit?: number
}

/** Returns the pace of a rule; null if the form offers none for it. */
export function paceOf(ruleset: string): Pace | null {
  const [, days] = /FREQ=MONTHLY;(?:INTERVAL=1;)?BYMONTHDAY=([-,\d]+)$/.exec(ruleset) ?? []
  if (days === '15,-1') return 'twice-monthly'
  if (days === '-1') return 'month-end'
  return repeatOf(ruleset)
}

/** Returns the rule (RFC 5545) for paydays that begin on a day. */
export function paydaysOf(pace: Pace, from: { day: string; start: string }): string {
  if (pace === 'twice-monthly') return twiceMonthly(from.start)
  const rule = rulesetOf(pace === 'month-end' ? 'monthly' : pace, from)
  return pace === 'month-end' ? rule.replace(/BYMONTHDAY=.*$/, 'BYMONTHDAY=-1') : rule
}

const monthsBetween: Partial<Record<Pace, number>> = {
  'month-end': 1,
  monthly: 1,
  quarterly: 3,
  halfYearly: 6,
  yearly: 12,
}
const daysBetween: Partial<Record<Pace, number>> = { weekly: 7, biweekly: 14 }

/**
 * Returns the next paydays from a day on. Like the server, it moves weekend days to the Friday
 * before. A month without the day uses its last day.
 */
export function nextPaydays(
  pace: Pace,
  { day, count, excludesWeekends }: { day: string; count: number; excludesWeekends: boolean },
): string[] {
  const days = Array.from({ length: count }, (_, at) => {
    const step = daysBetween[pace]
    if (step !== undefined) return dayAfter(day, step * at)
    const months = monthsBetween[pace]
    if (months === undefined) return halfMonthAfter(day, at)
    if (pace === 'month-end') return lastDayOf(firstAfter(day, at))
    return monthsAfter(day, months * at)
  })
  return days.map((one) => (excludesWeekends ? beforeWeekend(one) : one))
}

/**
 * Returns the day of the rule of a payday on `day`: up to two days later, if the payday is moved
 * off a weekend. A rule without BYMONTHDAY and BYDAY has the day itself.
 */
export function ruleDayOf(ruleset: string, day: string): string {
  const [, listed, isLast] = /BYMONTHDAY=([-,\d]+)(;BYSETPOS=-1)?/.exec(ruleset) ?? []
  const [, weekday] = /BYDAY=(\w\w)/.exec(ruleset) ?? []
  const dates =
    listed
      ?.split(',')
      .slice(isLast ? -1 : 0)
      .map(Number) ?? []
  const isOwn = (one: string) => {
    const last = Number(lastDayOf(one).slice(8))
    const isListed = dates.some(
      (date) => Number(one.slice(8)) === (date < 0 ? last : Math.min(date, last)),
    )
    return isListed || weekday === weekdays[new Date(`${one}T00:00:00Z`).getUTCDay()]
  }
  return [0, 1, 2].map((days) => dayAfter(day, days)).find(isOwn) ?? day
}

/** Returns `day` if it is a payday of this pace, else the first payday after today. */
export function fittingDay(pace: Pace, { day, today }: { day: string; today: string }): string {
  if (day === '') return ''
  const firstFrom = (from: string) =>
    nextPaydays(pace, { day: from, count: 1, excludesWeekends: false })[0] ?? from
  return firstFrom(day) === day ? day : firstFrom(dayAfter(today, 1))
}

/**
 * Lists the 15ths and last days of months from a day on, and returns number `n` of them, from 0.
 */
function halfMonthAfter(day: string, n: number): string {
  const isFirstHalf = Number(day.slice(8)) <= 15
  const half = (isFirstHalf ? 0 : 1) + n
  const month = monthsAfter(`${day.slice(0, 8)}01`, Math.floor(half / 2))
  return half % 2 === 0 ? `${month.slice(0, 8)}15` : lastDayOf(month)
}

/** Returns the first day of the month that is n months after `day`. */
function firstAfter(day: string, n: number): string {
  return monthsAfter(`${day.slice(0, 8)}01`, n)
}

function monthsAfter(day: string, months: number): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  const first = new Date(Date.UTC(year, month - 1 + months, 1)).toISOString().slice(0, 10)
  const date = Math.min(Number(day.slice(8)), Number(lastDayOf(first).slice(8)))
  return `${first.slice(0, 8)}${String(date).padStart(2, '0')}`
}

function lastDayOf(day: string): string {
  const [year = 0, month = 1] = day.split('-').map(Number)
  return new Date(Date.UTC(year, month, 0)).toISOString().slice(0, 10)
}

/** Returns the first Friday after a day. */
export function nextFriday(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return dayAfter(day, ((11 - weekday) % 7) + 1)
}

function beforeWeekend(day: string): string {
  const weekday = new Date(`${day}T00:00:00Z`).getUTCDay()
  return dayAfter(day, weekday === 6 ? -1 : weekday === 0 ? -2 : 0)
}
