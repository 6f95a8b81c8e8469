import { midnightMs } from '@coffer/kit/values/day'
import { clampNeed, type Need } from '../contributions/contribution.ts'
import { dueAfter } from '../contributions/due-dates.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { countFundings, type FundingEvent, type Fundings, fundingAt } from './forecast-fundings.ts'

/** Input of the forecast of one envelope; amounts in minor units. A goal has no ruleset. */
export type ForecastPlan = Need & { spendingId: string; fundingScheduleId: string }

/** A funding or due date of an envelope, or both at one instant; amounts in minor units. */
export type SpendingEvent = {
  date: Date
  transactionAmount: bigint
  contributionAmount: bigint
  /** Amount in the envelope after the event. */
  rollingAllocation: bigint
  funding: FundingEvent[]
  spendingId: string
}

/**
 * State of a simulated envelope. `after`: instant (ms) of its last event. `due`: its next due date
 * (ms), null if none is left. `rolling`: its amount in minor units. `index`: its next funding in
 * `fundings`. `isOwed`: an expense due today or earlier is not spent yet
 * (docs/forecast.md#events-of-an-envelope).
 */
type SimulatedEnvelope = {
  plan: ForecastPlan
  fundings: Fundings
  after: number
  due: number | null
  rolling: bigint
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
  const due = midnightMs(plan.nextRecurrence.getTime(), timezone)
  const isOwed = plan.ruleset !== null && due <= after
  const rolling = plan.currentAmount
  const state: SimulatedEnvelope = { plan, fundings, after, due, rolling, index: 0, isOwed }
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
  const contributionAmount = fires ? contribution(state, due) : 0n
  const transactionAmount = isDue ? plan.targetAmount : 0n
  state.rolling += contributionAmount - transactionAmount
  state.after = fires ? funding.date.getTime() : due
  if (isDue) state.isOwed = false
  return {
    date: fires ? funding.date : new Date(due),
    transactionAmount,
    contributionAmount,
    rollingAllocation: state.rolling,
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

/** Calculates the contribution of the next funding, in minor units. */
function contribution(state: SimulatedEnvelope, due: number): bigint {
  const { plan, fundings, after, index } = state
  const each =
    plan.ruleset === null ? clampNeed(plan.targetAmount - plan.usedAmount) : plan.targetAmount
  const first = fundingAt(fundings, index)?.date.getTime() ?? due
  const second = fundingAt(fundings, index + 1)?.date.getTime() ?? null
  // If a late expense holds its target, one target is for its past due date, not for later ones.
  const isOwed = state.isOwed && state.rolling >= plan.targetAmount && first < due
  const saved = isOwed ? state.rolling - plan.targetAmount : state.rolling
  const before = BigInt(countNeeds(state, { from: after, before: first }))
  // If no second funding follows, the first one has to cover one due date after it.
  const between = second === null ? 1n : BigInt(countNeeds(state, { from: first, before: second }))
  if (between > 0n) return clampNeed(each * between - clampNeed(saved - each * before))
  const parts = countFundings(fundings, { after, due })
  return clampNeed(each - saved) / BigInt(Math.max(1, parts))
}

function countNeeds(
  { plan, fundings }: SimulatedEnvelope,
  range: { from: number; before: number },
): number {
  if (plan.ruleset !== null) {
    return countOccurrences(occurrencesOf(plan.ruleset, fundings.timezone), range)
  }
  const instant = plan.nextRecurrence.getTime()
  return range.from < instant && instant < range.before ? 1 : 0
}
