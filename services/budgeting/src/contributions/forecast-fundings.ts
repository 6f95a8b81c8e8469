import { midnightMs } from '@coffer/kit/values/day'
import type { FundingDates, FundingSchedule } from '../book/funding-schedule.ts'
import { type Occurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { nextFunding } from './funding-dates.ts'

/** Input of the forecast for one funding schedule; `estimatedDeposit` is in minor units. */
export type ForecastSchedule = FundingDates &
  Pick<FundingSchedule, 'fundingScheduleId' | 'estimatedDeposit'>

/** A future firing of a schedule; `originalDate` is its date before the move off a weekend. */
export type FundingEvent = {
  date: Date
  originalDate: Date
  weekendAvoided: boolean
  fundingScheduleId: string
}

/** Firings of one schedule after `start`, ascending, each calculated on first use. */
export type Fundings = {
  schedule: ForecastSchedule
  /** Those of the schedule's rule. */
  occurrences: Occurrences
  timezone: string
  start: Date
  events: FundingEvent[]
  isComplete: boolean
}

/** Returns the firings after the start of the day of `now` (ms) in `timezone`. */
export function fundingsFrom(schedule: ForecastSchedule, timezone: string, now: number): Fundings {
  const start = new Date(midnightMs(now, timezone))
  const occurrences = occurrencesOf(schedule.ruleset, timezone)
  return { schedule, occurrences, timezone, start, events: [], isComplete: false }
}

/** Returns the firing with this index (from 0), null if the rule ends before it. */
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

/** Returns the index, not before `from`, of the first firing after `instant` (ms). */
export function indexAfter(
  fundings: Fundings,
  { instant, from }: { instant: number; from: number },
): number {
  let index = from
  let funding = fundingAt(fundings, index)
  while (funding !== null && funding.date.getTime() <= instant) {
    index += 1
    funding = fundingAt(fundings, index)
  }
  return index
}
