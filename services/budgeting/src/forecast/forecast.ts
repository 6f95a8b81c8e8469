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
  const moments: Moments = new Map()
  for (const plan of plans.toSorted((a, b) => compare(a.spendingId, b.spendingId))) {
    const own = fundings.get(plan.fundingScheduleId)
    if (!own) continue
    const events = listEnvelopeEvents(plan, own, range)
    for (const event of events) momentAt(moments, event.date).spending.push(event)
    const found = findLateFunding(plan, own, { events, end: range.end })
    if (!found) continue
    late.push(found)
    momentAt(moments, found.date).toGoals += found.amount
  }
  for (const own of fundings.values()) addDeposits(moments, own, range.end)
  const startingBalance = plans.reduce((sum, plan) => sum + plan.currentAmount, 0n)
  const { events, free } = addUp(moments, { input, startingBalance })
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
    free.every(
      (one) =>
        isExact(one.free) && isExact(one.deposit) && isExact(one.contribution) && isExact(one.paid),
    ) &&
    events.every(
      (event) =>
        isExact(event.balance) &&
        isExact(event.contribution) &&
        isExact(event.transaction) &&
        event.spending.every((one) => isExact(one.rollingAllocation) && isExact(one.heldAmount)),
    )
  )
}

/** All that moves money at one instant: events by spending ID, and sums in minor units. */
type Moment = { date: Date; spending: SpendingEvent[]; deposit: bigint; toGoals: bigint }

/** Moments by their instant in ms. */
type Moments = Map<number, Moment>

function momentAt(moments: Moments, date: Date): Moment {
  const known = moments.get(date.getTime())
  if (known) return known
  const moment = { date, spending: [], deposit: 0n, toGoals: 0n }
  moments.set(date.getTime(), moment)
  return moment
}

/** Adds the expected deposit of each firing of a schedule up to `end` (ms). */
function addDeposits(moments: Moments, fundings: Fundings, end: number): void {
  const deposit = fundings.schedule.estimatedDeposit ?? 0n
  if (deposit <= 0n) return
  for (let index = 0; ; index += 1) {
    const funding = fundingAt(fundings, index)
    if (funding === null || funding.date.getTime() > end) return
    momentAt(moments, funding.date).deposit += deposit
  }
}

/** Lists the events of envelopes, and free-to-use after each change (docs/forecast.md). */
function addUp(
  moments: Moments,
  { input, startingBalance }: { input: ForecastInput; startingBalance: bigint },
): Pick<Forecast, 'events' | 'free'> {
  const events: ForecastEvent[] = []
  const start = { date: input.now, deposit: 0n, contribution: 0n, paid: 0n, free: input.free }
  const changes: FreeToUse[] = [start]
  let balance = startingBalance
  let free = input.free
  const ascending = [...moments.values()].sort((a, b) => a.date.getTime() - b.date.getTime())
  for (const { date, spending, deposit, toGoals } of ascending) {
    let [contribution, transaction, held, paid] = [0n, 0n, toGoals, 0n]
    for (const one of spending) {
      contribution += one.contributionAmount
      transaction += one.transactionAmount
      held += one.heldContribution
      paid += one.fromFreeAmount
    }
    if (spending.length > 0) {
      const delta = contribution - transaction
      balance += delta
      const funding = listFirings(spending)
      events.push({ date, delta, contribution, transaction, balance, spending, funding })
    }
    if (deposit === 0n && held === 0n && paid === 0n) continue
    free += deposit - held - paid
    changes.push({ date, deposit, contribution: held, paid, free })
  }
  return { events, free: changes }
}

/** Lists the firings at one instant, one for each schedule, ordered by schedule ID. */
function listFirings(spending: readonly SpendingEvent[]): FundingEvent[] {
  const distinct = new Set<FundingEvent>()
  for (const { funding } of spending) for (const firing of funding) distinct.add(firing)
  return [...distinct].sort((a, b) => compare(a.fundingScheduleId, b.fundingScheduleId))
}

function compare(a: string, b: string): number {
  if (a === b) return 0
  return a < b ? -1 : 1
}
