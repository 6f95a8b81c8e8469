import { midnightMs } from '@coffer/kit/values/day'
import { lesser, unspentOf } from '@coffer/kit/values/money'
import type { Spending } from '../book/spending.ts'
import { countOccurrences, type Occurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import {
  calculateNeed,
  clampNeed,
  type Dues,
  limitToCeiling,
  type Need,
  type StoredContribution,
} from './contribution.ts'
import { dueAfter, firstUnpaid, isSettled } from './due-dates.ts'
import { type FundingEvent, type Fundings, fundingAt, indexAfter } from './forecast-fundings.ts'
import { countFirings, countsFiredOne } from './funding-dates.ts'

/** Fields of a plan with which a forecast begins. */
export type Funded = Need &
  Pick<Spending, 'spendingId' | 'fundingScheduleId' | 'graceAmount' | 'graceUntil'> &
  Pick<Spending, 'periodSpentAmount' | 'autoCreateTransaction'>

/**
 * Input of the forecast of an envelope, in minor units. A goal has no ruleset. Of the next bill,
 * `spentAmount` is paid, and free-to-use has paid `overspentAmount`. `stored`: of a stored plan.
 */
export type ForecastPlan = Need & {
  spendingId: string
  fundingScheduleId: string
  spentAmount?: bigint
  overspentAmount?: bigint
  graceUntil?: Date | null
  stored?: StoredContribution
}

/**
 * Returns the plan as input of a forecast. Money kept for the grace of a closed period is left out,
 * as if it had paid that period's bill. With automatic transactions, the next bill is the whole
 * target, whatever was spent before.
 */
export function forecastPlanOf(plan: Funded, stored?: StoredContribution): ForecastPlan {
  const { periodSpentAmount: spent } = plan
  return {
    spendingId: plan.spendingId,
    fundingScheduleId: plan.fundingScheduleId,
    ruleset: plan.ruleset,
    nextRecurrence: plan.nextRecurrence,
    settledFor: plan.settledFor,
    targetAmount: plan.targetAmount,
    currentAmount: plan.currentAmount - plan.graceAmount,
    usedAmount: plan.usedAmount,
    spentAmount: plan.autoCreateTransaction ? lesser(spent, 0n) : spent,
    graceUntil: plan.graceUntil,
    ...(stored && { stored }),
  }
}

/**
 * A funding or due date of an envelope, or both at one instant; amounts in minor units. The ledger
 * would show the amounts `held…` and `fromFree…` (docs/forecast.md#bills-paid-on-their-due-dates).
 */
export type SpendingEvent = {
  date: Date
  transactionAmount: bigint
  contributionAmount: bigint
  /** Amount after the event, negative if more was due than saved. */
  rollingAllocation: bigint
  heldContribution: bigint
  /** Amount in the envelope after the event, never negative. */
  heldAmount: bigint
  /** Part of the bill that the envelope does not hold. */
  fromFreeAmount: bigint
  funding: FundingEvent[]
  spendingId: string
}

/** Amount (minor units) that a goal lacks on its due date; the next funding adds all of it. */
export type LateFunding = { date: Date; spendingId: string; amount: bigint }

/** State of a simulated envelope; amounts in minor units, instants in ms. */
type SimulatedEnvelope = {
  plan: ForecastPlan
  fundings: Fundings
  /** Those of its rule, null for a goal. */
  occurrences: Occurrences | null
  /** Instant of its last event. */
  after: number
  /** Its next due date, not before `first`; null if none is left. */
  due: number | null
  first: number
  /** Amount in the envelope. */
  rolling: bigint
  /** The same amount, if bills take only the money that the envelope holds. */
  held: bigint
  /** Part of the next bill that is paid. */
  spent: bigint
  /** Instant after which the hourly job last calculates the contribution; null if it is stored. */
  calculatedAt: number | null
  /** Its next funding in `fundings`. */
  index: number
  /** An expense due today or earlier is not spent yet (docs/forecast.md#events-of-an-envelope). */
  isOwed: boolean
}

/**
 * Lists the events of one envelope from the day of `now` to `end` (ms, included). Each due date
 * spends the whole target (docs/forecast.md#events-of-an-envelope).
 */
export function listEnvelopeEvents(
  plan: ForecastPlan,
  fundings: Fundings,
  { now, end }: { now: number; end: number },
): SpendingEvent[] {
  const state = startSimulation(plan, fundings, now)
  const events: SpendingEvent[] = []
  for (let event = step(state); event && event.date.getTime() <= end; event = step(state)) {
    events.push(event)
  }
  return events
}

function startSimulation(plan: ForecastPlan, fundings: Fundings, now: number): SimulatedEnvelope {
  const { timezone } = fundings
  const after = midnightMs(now, timezone)
  const first = firstUnpaid(plan, timezone)
  const due = first === Number.POSITIVE_INFINITY ? null : first
  const isOwed = plan.ruleset !== null && !isSettled(plan) && first <= after
  const spent = isSettled(plan) ? 0n : (plan.spentAmount ?? 0n)
  const rolling = plan.currentAmount
  const held = isOwed ? clampNeed(rolling - unspentOf(plan.targetAmount, spent)) : rolling
  return {
    plan,
    fundings,
    occurrences: plan.ruleset === null ? null : occurrencesOf(plan.ruleset, timezone),
    after,
    due,
    first,
    rolling,
    held,
    spent: isOwed ? 0n : spent,
    calculatedAt: isOwed ? first : null,
    index: 0,
    isOwed,
  }
}

/** Advances the simulation to the next event. Returns the event, null if none is left. */
function step(state: SimulatedEnvelope): SpendingEvent | null {
  const { plan, fundings } = state
  if (state.due !== null && state.due <= state.after) {
    state.due = plan.ruleset ? dueAfter(plan.ruleset, fundings.timezone, state.after) : null
  }
  // `due` is null for a goal past its date and for an expense whose rule has ended.
  const { due } = state
  if (due === null) return null
  const funding = findNextFunding(state)
  const fires = funding !== null && funding.date.getTime() <= due
  const isDue = funding === null || funding.date.getTime() >= due
  const terms = fires ? readTerms(state, due) : null
  const contributionAmount = terms ? contribution(state, terms) : 0n
  const heldContribution = terms ? bookedContribution(state, terms) : 0n
  const transactionAmount = isDue ? plan.targetAmount : 0n
  const bill = isDue ? billOf(state) : 0n
  const fromEnvelope = lesser(state.held + heldContribution, bill)
  const overspent = due === state.first ? (plan.overspentAmount ?? 0n) : 0n
  state.rolling += contributionAmount - transactionAmount
  state.held += heldContribution - fromEnvelope
  state.after = fires ? funding.date.getTime() : due
  state.calculatedAt = state.after
  if (isDue) {
    state.isOwed = false
    state.spent = 0n
  }
  return {
    date: fires ? funding.date : new Date(due),
    transactionAmount,
    contributionAmount,
    rollingAllocation: state.rolling,
    heldContribution,
    heldAmount: state.held,
    fromFreeAmount: clampNeed(bill - fromEnvelope - overspent),
    funding: fires ? [funding] : [],
    spendingId: plan.spendingId,
  }
}

/**
 * Returns the first funding after a goal's due date, up to `end` (ms), and the amount that the goal
 * lacks after `events`; null if there is none. A late funding is no event of the forecast.
 */
export function findLateFunding(
  plan: ForecastPlan,
  fundings: Fundings,
  { events, end }: { events: readonly SpendingEvent[]; end: number },
): LateFunding | null {
  if (plan.ruleset !== null) return null
  const due = firstUnpaid(plan, fundings.timezone)
  const funding = fundingAt(
    fundings,
    indexAfter(fundings, { instant: Math.min(due, end), from: 0 }),
  )
  if (funding === null || funding.date.getTime() > end) return null
  const added = events.reduce((sum, { heldContribution }) => sum + heldContribution, 0n)
  const amount = clampNeed(needOfGoal(plan) - plan.currentAmount - added)
  return amount > 0n ? { date: funding.date, spendingId: plan.spendingId, amount } : null
}

/** Returns the first funding after the last event of the envelope, null if the rule has ended. */
function findNextFunding(state: SimulatedEnvelope): FundingEvent | null {
  const { fundings, after, index } = state
  state.index = indexAfter(fundings, { instant: after, from: index })
  return fundingAt(fundings, state.index)
}

/**
 * Terms of a contribution: instants (ms) of the next funding and due date, the target in minor
 * units, and due dates (docs/forecast.md#events-of-an-envelope).
 */
type Terms = { firing: number; due: number; target: bigint; dues: Dues }

function readTerms(state: SimulatedEnvelope, due: number): Terms {
  const { plan, fundings, after, index } = state
  const target = plan.ruleset === null ? needOfGoal(plan) : plan.targetAmount
  const firing = fundingAt(fundings, index)?.date.getTime() ?? due
  const second = fundingAt(fundings, index + 1)?.date.getTime() ?? null
  const beforeFunding = countNeeds(state, { from: after, before: firing })
  // If no second funding follows, the first one has to cover one due date after it.
  const afterFunding = second === null ? 1 : countNeeds(state, { from: firing, before: second })
  return { firing, due, target, dues: { beforeFunding, afterFunding } }
}

/** Calculates the contribution of the next funding (docs/forecast.md#events-of-an-envelope). */
function contribution(state: SimulatedEnvelope, { due, target, dues, firing }: Terms): bigint {
  const { plan, fundings, after, isOwed, rolling } = state
  // An overdue expense still holds the target of its past due date, which is not for the next one.
  const isForPast = isOwed && rolling >= plan.targetAmount && firing < due
  const saved = isForPast ? rolling - plan.targetAmount : rolling
  const need = calculateNeed({ target, saved, dues })
  if (dues.afterFunding > 0) return need
  const range = { from: after + 1000, before: due + 1 }
  return need / BigInt(Math.max(1, countFirings(fundings.schedule, fundings.occurrences, range)))
}

/** Calculates what the hourly job books at the funding, in minor units (docs/hourly-job.md). */
function bookedContribution(state: SimulatedEnvelope, terms: Terms): bigint {
  const { plan, fundings, held: saved } = state
  const { firing, due, target } = terms
  // A goal that is due on the funding date is counted, as by `recalculate`.
  const isGoalDue = plan.ruleset === null && firing === due
  const afterFunding = isGoalDue ? 1 : terms.dues.afterFunding
  const passed = state.calculatedAt ?? lastPassed(plan, fundings.timezone, firing)
  const limit = { target, saved, dues: afterFunding }
  const { schedule, occurrences, timezone, start } = fundings
  const stored = passed === null ? plan.stored : undefined
  if (stored && stored.calculatedAt.getTime() < firing) {
    const isRight = !countsFiredOne(schedule, timezone, stored.calculatedAt)
    if (isRight) return limitToCeiling(stored.nextContributionAmount, limit).amount
  }
  // `beforeFunding` is 0, because no due date lies between two events: all of `held` is for due
  // dates from this funding on.
  const need = calculateNeed({ target, saved, dues: { beforeFunding: 0, afterFunding } })
  if (afterFunding > 0) return limitToCeiling(need, limit).amount
  const from = (passed ?? start.getTime()) + 1
  const fired = countFirings(schedule, occurrences, { from, before: due + 1 })
  return limitToCeiling(need / BigInt(Math.max(1, fired)), limit).amount
}

/**
 * Returns the last instant (ms) before a firing at which the hourly job recalculates, although the
 * forecast has no event: a settled due date, or the end of a grace. Null if there is none.
 */
function lastPassed(plan: ForecastPlan, timezone: string, firing: number): number | null {
  const settled = isSettled(plan) ? [midnightMs(plan.nextRecurrence.getTime(), timezone)] : []
  const grace = plan.graceUntil ? [plan.graceUntil.getTime()] : []
  const passed = [...settled, ...grace].filter((instant) => instant < firing)
  return passed.length > 0 ? Math.max(...passed) : null
}

/**
 * Returns the next bill in minor units: the target minus the part already spent; an expense counts
 * only the spending of its current period.
 */
function billOf({ plan, spent }: SimulatedEnvelope): bigint {
  return plan.ruleset === null ? needOfGoal(plan) : unspentOf(plan.targetAmount, spent)
}

function needOfGoal({ targetAmount, usedAmount }: ForecastPlan): bigint {
  return clampNeed(targetAmount - usedAmount)
}

function countNeeds(
  { plan, occurrences, first }: SimulatedEnvelope,
  range: { from: number; before: number },
): number {
  if (occurrences !== null) {
    const from = Math.max(range.from, first)
    return countOccurrences(occurrences, { from, before: range.before })
  }
  const instant = plan.nextRecurrence.getTime()
  return range.from < instant && instant < range.before ? 1 : 0
}
