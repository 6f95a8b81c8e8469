import { clampNeed, type Need } from '../contributions/contribution.ts'
import { dueAfter } from '../contributions/due-dates.ts'
import { midnightMs } from '../recurrence/midnight.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { countFundings, type FundingEvent, type Fundings, fundingAt } from './forecast-fundings.ts'

/** Input of the forecast of one envelope; amounts in minor units. A goal has no ruleset. */
export type ForecastPlan = Need & { spendingId: string; fundingScheduleId: string }

/**
 * A funding of an envelope, its due date, or both at one instant; amounts in minor units.
 * `rollingAllocation` is the amount in the envelope afterwards.
 */
export type SpendingEvent = {
  date: Date
  transactionAmount: bigint
  contributionAmount: bigint
  rollingAllocation: bigint
  funding: FundingEvent[]
  spendingId: string
}

/**
 * Simulated state of one envelope. `after` is the instant (ms) of its last event, `due` that of its
 * next due date, null if there is none. `index` is the index of its next funding in `fundings`,
 * `rolling` its amount in minor units. `isOwed`: an expense that is late at the start
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

/** Changes the state to that after the next event. Returns this event, null if there is none. */
function step(walk: SimulatedEnvelope): SpendingEvent | null {
  const { plan, fundings } = walk
  if (walk.due !== null && walk.due <= walk.after) {
    const { ruleset } = plan
    walk.due = ruleset === null ? null : dueAfter(ruleset, fundings.timezone, walk.after)
  }
  // A goal after its date has no more events, and neither has an expense after the end of its rule.
  const { due } = walk
  if (due === null) return null
  const funding = findNextFunding(walk)
  const fires = funding !== null && funding.date.getTime() <= due
  const isDue = funding === null || funding.date.getTime() >= due
  const contributionAmount = fires ? contribution(walk, due) : 0n
  const transactionAmount = isDue ? plan.targetAmount : 0n
  walk.rolling += contributionAmount - transactionAmount
  walk.after = fires ? funding.date.getTime() : due
  if (isDue) walk.isOwed = false
  return {
    date: fires ? funding.date : new Date(due),
    transactionAmount,
    contributionAmount,
    rollingAllocation: walk.rolling,
    funding: fires ? [funding] : [],
    spendingId: plan.spendingId,
  }
}

/** Returns the first funding later than the last event of the envelope. */
function findNextFunding(walk: SimulatedEnvelope): FundingEvent | null {
  let funding = fundingAt(walk.fundings, walk.index)
  while (funding !== null && funding.date.getTime() <= walk.after) {
    walk.index += 1
    funding = fundingAt(walk.fundings, walk.index)
  }
  return funding
}

/**
 * Calculates the contribution of the next funding, in minor units
 * (docs/forecast.md#events-of-an-envelope).
 */
function contribution(walk: SimulatedEnvelope, due: number): bigint {
  const { plan, fundings, after, index } = walk
  const each =
    plan.ruleset === null ? clampNeed(plan.targetAmount - plan.usedAmount) : plan.targetAmount
  const first = fundingAt(fundings, index)?.date.getTime() ?? due
  const second = fundingAt(fundings, index + 1)?.date.getTime() ?? null
  // Late at the start: the target in a full envelope belongs to the due date that has passed.
  const isOwed = walk.isOwed && walk.rolling >= plan.targetAmount && first < due
  const saved = isOwed ? walk.rolling - plan.targetAmount : walk.rolling
  const before = BigInt(countNeeds(walk, { from: after, before: first }))
  // The last funding of a rule covers the first due date after it.
  const between = second === null ? 1n : BigInt(countNeeds(walk, { from: first, before: second }))
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
