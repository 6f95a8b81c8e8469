import { type Need, needed } from '../contributions/contribution.ts'
import { dueAfter } from '../contributions/due-dates.ts'
import { midnightMs } from '../recurrence/midnight.ts'
import { countOccurrences, occurrencesOf } from '../recurrence/recurrence.ts'
import { countFundings, type FundingEvent, type Fundings, fundingAt } from './forecast-fundings.ts'

/** What a forecast needs to know of an envelope; amounts in minor units. A goal has no ruleset. */
export type ForecastPlan = Need & { spendingId: string; fundingScheduleId: string }

/**
 * Money that moves into an envelope, out of it, or both; `rollingAllocation` is what it then
 * holds, in minor units.
 */
export type SpendingEvent = {
  date: Date
  transactionAmount: bigint
  contributionAmount: bigint
  rollingAllocation: bigint
  funding: FundingEvent[]
  spendingId: string
}

/** An envelope on its way: `after` (ms, midnight) is where it stands, `index` its next funding. */
type Walk = {
  plan: ForecastPlan
  fundings: Fundings
  after: number
  due: number | null
  rolling: bigint
  index: number
  isOwed: boolean
}

/**
 * What happens to one envelope from the day of `now` to `end` (ms, included) when it is spent
 * whole on each due date (`spec/budgeting.md` 8.3).
 */
export function envelopeEvents(
  plan: ForecastPlan,
  fundings: Fundings,
  { now, end }: { now: number; end: number },
): SpendingEvent[] {
  const { timezone } = fundings
  const after = midnightMs(now, timezone)
  const due = midnightMs(plan.nextRecurrence.getTime(), timezone)
  const isOwed = plan.ruleset !== null && due <= after
  const rolling = plan.currentAmount
  const walk: Walk = { plan, fundings, after, due, rolling, index: 0, isOwed }
  const events: SpendingEvent[] = []
  for (let event = step(walk); event && event.date.getTime() <= end; event = step(walk)) {
    events.push(event)
  }
  return events
}

/** Moves the envelope to its next event; null when nothing more will happen. */
function step(walk: Walk): SpendingEvent | null {
  const { plan, fundings } = walk
  if (walk.due !== null && walk.due <= walk.after) {
    const { ruleset } = plan
    walk.due = ruleset === null ? null : dueAfter(ruleset, fundings.timezone, walk.after)
  }
  // A goal that is due and a rule that has ended get nothing more.
  const { due } = walk
  if (due === null) return null
  const funding = passedTo(walk)
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

/** The first funding that is later than where the envelope stands. */
function passedTo(walk: Walk): FundingEvent | null {
  let funding = fundingAt(walk.fundings, walk.index)
  while (funding !== null && funding.date.getTime() <= walk.after) {
    walk.index += 1
    funding = fundingAt(walk.fundings, walk.index)
  }
  return funding
}

/** What the next funding moves (`spec/budgeting.md` 8.3 steps 3 to 6), in minor units. */
function contribution(walk: Walk, due: number): bigint {
  const { plan, fundings, after, index } = walk
  const each =
    plan.ruleset === null ? needed(plan.targetAmount - plan.usedAmount) : plan.targetAmount
  const first = fundingAt(fundings, index)?.date.getTime() ?? due
  const second = fundingAt(fundings, index + 1)?.date.getTime() ?? null
  // A full envelope that was late when the forecast began is owed to the due date that has passed.
  const isOwed = walk.isOwed && walk.rolling >= plan.targetAmount && first < due
  const saved = isOwed ? walk.rolling - plan.targetAmount : walk.rolling
  const before = BigInt(countNeeds(walk, { from: after, before: first }))
  // The last funding of all has to cover the first due date after it.
  const between = second === null ? 1n : BigInt(countNeeds(walk, { from: first, before: second }))
  if (between > 0n) return needed(each * between - needed(saved - each * before))
  const parts = countFundings(fundings, { after, due })
  return needed(each - saved) / BigInt(Math.max(1, parts))
}

function countNeeds({ plan, fundings }: Walk, range: { from: number; before: number }): number {
  if (plan.ruleset !== null) {
    return countOccurrences(occurrencesOf(plan.ruleset, fundings.timezone), range)
  }
  const instant = plan.nextRecurrence.getTime()
  return range.from < instant && instant < range.before ? 1 : 0
}
