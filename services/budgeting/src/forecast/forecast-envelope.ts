import { midnightMs } from '@coffer/kit/values/day'
import { lesser } from '@coffer/kit/values/money'
import { clampNeed, type Need } from '../contributions/contribution.ts'
import { dueAfter, firstUnpaid, isSettled } from '../contributions/due-dates.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { countFundings, type FundingEvent, type Fundings, fundingAt } from './forecast-fundings.ts'

/** Input of the forecast of one envelope; amounts in minor units. A goal has no ruleset. */
export type ForecastPlan = Need & { spendingId: string; fundingScheduleId: string }

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

/**
 * State of a simulated envelope. `after`: instant (ms) of its last event. `due`: its next due date
 * (ms), null if none is left; none is before `first`. `rolling`: its amount in minor units; `held`:
 * the same, if bills take only what it holds. `index`: its next funding in `fundings`. `isOwed`: an
 * expense due today or earlier is not spent yet (docs/forecast.md#events-of-an-envelope).
 */
type SimulatedEnvelope = {
  plan: ForecastPlan
  fundings: Fundings
  after: number
  due: number | null
  first: number
  rolling: bigint
  held: bigint
  index: number
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
  const { timezone } = fundings
  const after = midnightMs(now, timezone)
  const first = firstUnpaid(plan, timezone)
  const due = first === Number.POSITIVE_INFINITY ? null : first
  const isOwed = plan.ruleset !== null && !isSettled(plan) && first <= after
  const rolling = plan.currentAmount
  const held = isOwed ? clampNeed(rolling - plan.targetAmount) : rolling
  const money = { rolling, held, isOwed }
  const state: SimulatedEnvelope = { plan, fundings, after, due, first, index: 0, ...money }
  const events: SpendingEvent[] = []
  for (let event = step(state); event && event.date.getTime() <= end; event = step(state)) {
    events.push(event)
  }
  return events
}

/** Advances the simulation to the next event. Returns the event, null if none is left. */
function step(state: SimulatedEnvelope): SpendingEvent | null {
  const { plan, fundings } = state
  if (state.due !== null && state.due <= state.after) {
    const { ruleset } = plan
    state.due = ruleset === null ? null : dueAfter(ruleset, fundings.timezone, state.after)
  }
  // `due` is null for a goal past its date and for an expense whose rule has ended.
  const { due } = state
  if (due === null) return null
  const funding = findNextFunding(state)
  const fires = funding !== null && funding.date.getTime() <= due
  const isDue = funding === null || funding.date.getTime() >= due
  const terms = fires ? readTerms(state, due) : null
  const contributionAmount = terms ? contribution(terms, savedBefore(state, due)) : 0n
  const heldContribution = terms ? storedContribution(state, terms, due) : 0n
  const transactionAmount = isDue ? plan.targetAmount : 0n
  const bill = isDue ? billOf(plan) : 0n
  const fromEnvelope = lesser(state.held + heldContribution, bill)
  state.rolling += contributionAmount - transactionAmount
  state.held += heldContribution - fromEnvelope
  state.after = fires ? funding.date.getTime() : due
  if (isDue) state.isOwed = false
  return {
    date: fires ? funding.date : new Date(due),
    transactionAmount,
    contributionAmount,
    rollingAllocation: state.rolling,
    heldContribution,
    heldAmount: state.held,
    fromFreeAmount: bill - fromEnvelope,
    funding: fires ? [funding] : [],
    spendingId: plan.spendingId,
  }
}

/** Returns the first funding after the last event of the envelope, null if the rule has ended. */
function findNextFunding(state: SimulatedEnvelope): FundingEvent | null {
  let funding = fundingAt(state.fundings, state.index)
  while (funding !== null && funding.date.getTime() <= state.after) {
    state.index += 1
    funding = fundingAt(state.fundings, state.index)
  }
  return funding
}

/** Terms of a contribution: minor units and counts (docs/forecast.md#events-of-an-envelope). */
type Terms = { each: bigint; before: bigint; between: bigint; parts: bigint }

function readTerms(state: SimulatedEnvelope, due: number): Terms {
  const { plan, fundings, after, index } = state
  const each = billOf(plan)
  const first = fundingAt(fundings, index)?.date.getTime() ?? due
  const second = fundingAt(fundings, index + 1)?.date.getTime() ?? null
  const before = BigInt(countNeeds(state, { from: after, before: first }))
  // If no second funding follows, the first one has to cover one due date after it.
  const between = second === null ? 1n : BigInt(countNeeds(state, { from: first, before: second }))
  const parts = between > 0n ? 1 : Math.max(1, countFundings(fundings, { after, due }))
  return { each, before, between, parts: BigInt(parts) }
}

/** Calculates the contribution of the next funding, in minor units. */
function contribution({ each, before, between, parts }: Terms, saved: bigint): bigint {
  return between > 0n
    ? clampNeed(each * between - clampNeed(saved - each * before))
    : clampNeed(each - saved) / parts
}

/** Returns the amount saved for later due dates: a late expense holds a target for its past one. */
function savedBefore({ plan, fundings, index, isOwed, rolling }: SimulatedEnvelope, due: number) {
  const first = fundingAt(fundings, index)?.date.getTime() ?? due
  const isForPast = isOwed && rolling >= plan.targetAmount && first < due
  return isForPast ? rolling - plan.targetAmount : rolling
}

/** Calculates the contribution that the hourly job books, in minor units (docs/plans.md). */
function storedContribution(state: SimulatedEnvelope, terms: Terms, due: number): bigint {
  const { fundings, after, held } = state
  const range = { from: after + 1, before: due + 1 }
  const counted =
    terms.between === 0n && fundings.schedule.excludeWeekends
      ? countOccurrences(occurrencesOf(fundings.schedule.ruleset, fundings.timezone), range)
      : Number(terms.parts)
  // No due date lies between two events: at the funding, `held` is for later ones only.
  return contribution({ ...terms, before: 0n, parts: BigInt(Math.max(1, counted)) }, held)
}

/** Returns what a due date costs, in minor units: of a goal, what was not spent from it before. */
function billOf({ ruleset, targetAmount, usedAmount }: ForecastPlan): bigint {
  return ruleset === null ? clampNeed(targetAmount - usedAmount) : targetAmount
}

function countNeeds(
  { plan, fundings, first }: SimulatedEnvelope,
  range: { from: number; before: number },
): number {
  if (plan.ruleset !== null) {
    const unpaid = { from: Math.max(range.from, first), before: range.before }
    if (unpaid.from >= unpaid.before) return 0
    return countOccurrences(occurrencesOf(plan.ruleset, fundings.timezone), unpaid)
  }
  const instant = plan.nextRecurrence.getTime()
  return range.from < instant && instant < range.before ? 1 : 0
}
