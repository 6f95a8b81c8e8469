import { dayMs } from '@coffer/kit/values/time'
import { midnightMs, weekdayStart } from '../recurrence/midnight.ts'
import { countOccurrences, occurrenceAfter, occurrencesOf } from '../recurrence/recurrence.ts'
import {
  type FundingDates,
  type FundingSchedule,
  nextFunding,
} from '../schedules/funding-schedule.ts'

/** What a forecast needs to know of a schedule; the deposit in minor units. */
export type ForecastSchedule = FundingDates &
  Pick<FundingSchedule, 'fundingScheduleId' | 'estimatedDeposit'>

/** One firing that is to come; `originalDate` is where its rule has it. */
export type FundingEvent = {
  date: Date
  originalDate: Date
  weekendAvoided: boolean
  fundingScheduleId: string
}

/** The firings of one schedule after an instant, in order, found as they are asked for. */
export type Fundings = {
  schedule: ForecastSchedule
  timezone: string
  start: Date
  events: FundingEvent[]
  isComplete: boolean
}

/** The firings after midnight of the day of `now` (ms) in `timezone`. */
export function fundingsFrom(schedule: ForecastSchedule, timezone: string, now: number): Fundings {
  const start = new Date(midnightMs(now, timezone))
  return { schedule, timezone, start, events: [], isComplete: false }
}

/** The firing of that index, null once the rule has ended. */
export function fundingAt(fundings: Fundings, index: number): FundingEvent | null {
  const { schedule, timezone, events, start } = fundings
  while (events.length <= index && !fundings.isComplete) {
    const last = events.at(-1)?.date ?? start
    const next = nextFunding(schedule, timezone, last)
    if (next === null) {
      fundings.isComplete = true
    } else {
      const { fundingScheduleId } = schedule
      const { date, original: originalDate } = next
      const weekendAvoided = date.getTime() !== originalDate.getTime()
      events.push({ date, originalDate, weekendAvoided, fundingScheduleId })
    }
  }
  return events[index] ?? null
}

/**
 * How many firings a contribution after `after` is split over until `due` (ms, included): the
 * occurrences of the rule in between, without those that have been paid early because of a weekend
 * (`spec/budgeting.md` 8.3 step 6).
 */
export function countFundings(
  { schedule, timezone }: Fundings,
  { after, due }: { after: number; due: number },
): number {
  const from = after + 1000
  const occurrences = occurrencesOf(schedule.ruleset, timezone)
  const all = countOccurrences(occurrences, { from, before: due + 1 })
  if (!schedule.excludeWeekends || all === 0) return all
  // A Sunday is paid two days early, so only the next two days can hold what has been paid.
  let paid = 0
  let occurrence = occurrenceAfter(occurrences, from - 1)
  while (occurrence !== null && occurrence <= due && occurrence < from + 3 * dayMs) {
    const isStored = occurrence === schedule.nextRecurrence.getTime()
    if (!isStored && weekdayStart(occurrence, timezone) < from) paid += 1
    occurrence = occurrenceAfter(occurrences, occurrence)
  }
  return all - paid
}
