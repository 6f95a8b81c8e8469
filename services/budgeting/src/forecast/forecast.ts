import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import { readDay, startOfDay } from '@coffer/kit/values/day'
import { isExact } from '@coffer/kit/values/money'
import { dayMs } from '@coffer/kit/values/time'
import { countDues } from '../contributions/due-dates.ts'
import {
  type ForecastPlan,
  findLateFunding,
  type LateFunding,
  listEnvelopeEvents,
  type SpendingEvent,
} from '../contributions/forecast-envelope.ts'
import {
  type ForecastSchedule,
  type FundingEvent,
  type Fundings,
  fundingAt,
  fundingsFrom,
} from '../contributions/forecast-fundings.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'

/** Input of a forecast; `free` is the free-to-use money (in no envelope) at `now`, minor units. */
export type ForecastInput = {
  plans: readonly ForecastPlan[]
  schedules: readonly ForecastSchedule[]
  timezone: string
  now: Date
  end: Date
  free: bigint
}

/** All events of envelopes at one instant, with the sums of their amounts in minor units. */
export type ForecastEvent = {
  date: Date
  delta: bigint
  contribution: bigint
  transaction: bigint
  balance: bigint
  spending: SpendingEvent[]
  funding: FundingEvent[]
}

/**
 * Free-to-use money from `date` on, in minor units, after the deposit, the contribution and the
 * `paid` part of bills at `date`.
 */
export type FreeToUse = {
  date: Date
  deposit: bigint
  contribution: bigint
  paid: bigint
  free: bigint
}

/** Predicted events and balances of all envelopes, in minor units (docs/forecast.md). */
export type Forecast = {
  startingTime: Date
  endingTime: Date
  startingBalance: bigint
  endingBalance: bigint
  events: ForecastEvent[]
  /** Contributions to goals past their dates, which have no events. */
  late: LateFunding[]
  free: FreeToUse[]
  /** Lowest amount of `free`, and the first date on which it is reached. */
  lowestFree: bigint
  lowestFreeDate: Date
  /** First instant at which `free` is negative, null if there is none. */
  negativeFreeDate: Date | null
}

const daysAhead = 90
const monthsAheadMax = 12

/**
 * Returns the end of a forecast: `asked`, or 90 days after `now` for null. Throws invalid for a
 * past end, and for an end more than 12 calendar months (UTC) after `now`.
 */
export function forecastEnd(asked: Date | null, now: Date): Date {
  if (asked === null) return new Date(now.getTime() + daysAhead * dayMs)
  if (asked < now) throw invalid({ end: say('NOT_IN_FUTURE') })
  if (asked > latestEnd(now)) {
    throw invalid({ end: say('FORECAST_TOO_FAR', { max: monthsAheadMax }) })
  }
  return asked
}

/**
 * Returns the end of a forecast up to a calendar day (YYYY-MM-DD) in a timezone, included: the last
 * millisecond of the day, or the instant 12 months after `now` if it is on this day. Throws invalid
 * as `forecastEnd` does, and for a text that is no day.
 */
export function forecastEndOfDay(
  day: string,
  { timezone, now }: { timezone: string; now: Date },
): Date {
  const number = readDay(day)
  if (number === null) throw invalid({ end: say('NOT_DAY') })
  const last = latestEnd(now).getTime()
  const dayEnd = startOfDay(number + 1, timezone) - 1
  const isLastDay = startOfDay(number, timezone) <= last && last < dayEnd
  return forecastEnd(new Date(isLastDay ? last : dayEnd), now)
}

function latestEnd(now: Date): Date {
  const last = new Date(now)
  last.setUTCMonth(last.getUTCMonth() + monthsAheadMax)
  return last
}

/** Returns an upper estimate of the number of events of all envelopes (docs/forecast.md#bounds). */
export function estimateSize({ plans, schedules, timezone, now, end }: ForecastInput): number {
  const range = { from: now.getTime() - dayMs, before: end.getTime() + dayMs }
  const firings = new Map(
    schedules.map(({ fundingScheduleId, ruleset }) => [
      fundingScheduleId,
      countOccurrences(occurrencesOf(ruleset, timezone), range) + 1,
    ]),
  )
  // Adds a firing and a due date for each plan: `nextRecurrence` may be no occurrence of its rule.
  return plans.reduce((sum, plan) => {
    const fundings = firings.get(plan.fundingScheduleId) ?? 0
    return sum + fundings + countDues(plan, timezone, range) + 1
  }, 0)
}

/** Calculates the forecast from `now` to `end` (docs/forecast.md#events). Pass no paused plans. */
export function forecast(input: ForecastInput): Forecast {
  const { plans, schedules, timezone } = input
  const range = { now: input.now.getTime(), end: input.end.getTime() }
  const fundings = new Map(
    schedules.map((one) => [one.fundingScheduleId, fundingsFrom(one, timezone, range.now)]),
  )
  const late: LateFunding[] = []
  const single = plans.flatMap((plan) => {
    const own = fundings.get(plan.fundingScheduleId)
    if (!own) return []
    const events = listEnvelopeEvents(plan, own, range)
    const found = findLateFunding(plan, own, { events, end: range.end })
    if (found) late.push(found)
    return events
  })
  const startingBalance = plans.reduce((sum, plan) => sum + plan.currentAmount, 0n)
  const events = groupByDate(single, startingBalance)
  const free = listFreeToUse(input, { events, late, fundings: [...fundings.values()] })
  const lowest = free.reduce((least, one) => (one.free < least.free ? one : least))
  return {
    startingTime: input.now,
    endingTime: input.end,
    startingBalance,
    // Clients of the REST API expect 0 if there are no events.
    endingBalance: events.at(-1)?.balance ?? 0n,
    events,
    late,
    free,
    lowestFree: lowest.free,
    lowestFreeDate: lowest.date,
    negativeFreeDate: free.find((one) => one.free < 0n)?.date ?? null,
  }
}

/** Returns whether all amounts are within ±(2^53 − 1): JSON clients read only these exactly. */
export function isExactForecast({ events, free }: Forecast): boolean {
  return (
    free.every((one) => [one.free, one.deposit, one.contribution, one.paid].every(isExact)) &&
    events.every(
      (event) =>
        [event.balance, event.contribution, event.transaction].every(isExact) &&
        event.spending.every((one) => isExact(one.rollingAllocation) && isExact(one.heldAmount)),
    )
  )
}

function groupByDate(single: readonly SpendingEvent[], startingBalance: bigint): ForecastEvent[] {
  const groups = Map.groupBy(single, ({ date }) => date.getTime())
  let balance = startingBalance
  return [...groups.values()]
    .sort((a, b) => timeOf(a[0]) - timeOf(b[0]))
    .map((spending) => {
      const contribution = sumOf(spending, 'contributionAmount')
      const transaction = sumOf(spending, 'transactionAmount')
      const delta = contribution - transaction
      balance += delta
      spending.sort((a, b) => compare(a.spendingId, b.spendingId))
      const { date } = spending[0] as SpendingEvent
      return {
        date,
        delta,
        contribution,
        transaction,
        balance,
        spending,
        funding: listFirings(spending),
      }
    })
}

/** Lists the firings at one instant, one for each schedule, ordered by schedule ID. */
function listFirings(spending: readonly SpendingEvent[]): FundingEvent[] {
  const all = spending.flatMap(({ funding }) => funding)
  const distinct = new Map(all.map((event) => [event.fundingScheduleId, event]))
  return [...distinct.values()].sort((a, b) => compare(a.fundingScheduleId, b.fundingScheduleId))
}

/** Lists free-to-use money after each change (docs/forecast.md#free-to-use). */
function listFreeToUse(
  { now, end, free: startingFree }: ForecastInput,
  { events, late, fundings }: Pick<Forecast, 'events' | 'late'> & { fundings: readonly Fundings[] },
): FreeToUse[] {
  const deposits = new Map<number, bigint>()
  for (const each of fundings) {
    const deposit = each.schedule.estimatedDeposit ?? 0n
    if (deposit <= 0n) continue
    for (let index = 0; timeOf(fundingAt(each, index)) <= end.getTime(); index += 1) {
      const at = timeOf(fundingAt(each, index))
      deposits.set(at, (deposits.get(at) ?? 0n) + deposit)
    }
  }
  const moves = new Map(events.map((event) => [event.date.getTime(), event.spending]))
  const lates = Map.groupBy(late, ({ date }) => date.getTime())
  const instants = new Set([...deposits.keys(), ...moves.keys(), ...lates.keys()])
  const dates = [...instants].sort((a, b) => a - b)
  let free = startingFree
  const changes = dates.flatMap((at) => {
    const deposit = deposits.get(at) ?? 0n
    const spending = moves.get(at) ?? []
    const toGoals = (lates.get(at) ?? []).reduce((sum, { amount }) => sum + amount, 0n)
    const contribution = sumOf(spending, 'heldContribution') + toGoals
    const paid = sumOf(spending, 'fromFreeAmount')
    free += deposit - contribution - paid
    return deposit === 0n && contribution === 0n && paid === 0n
      ? []
      : [{ date: new Date(at), deposit, contribution, paid, free }]
  })
  return [{ date: now, deposit: 0n, contribution: 0n, paid: 0n, free: startingFree }, ...changes]
}

function timeOf(event: { date: Date } | null | undefined): number {
  return event?.date.getTime() ?? Number.POSITIVE_INFINITY
}

/** Returns the sum of an amount of these events, in minor units. */
function sumOf(
  spending: readonly SpendingEvent[],
  amount: 'contributionAmount' | 'transactionAmount' | 'heldContribution' | 'fromFreeAmount',
): bigint {
  return spending.reduce((sum, event) => sum + event[amount], 0n)
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
