import { lesser } from '@coffer/kit/values/money'
import { needed, progress, recalculate } from '../contributions/contribution.ts'
import { countDues, rollDue } from '../contributions/due-dates.ts'
import type { Spending } from '../plans/spending.ts'
import { type FundingSchedule, fire, isOver } from '../schedules/funding-schedule.ts'
import type { FundingLine } from './funding-run.ts'

/** Something that should have happened by now: a schedule fires, or a spending object is due. */
export type MissedEvent =
  | { kind: 'funding'; at: Date; fundingScheduleId: string }
  | { kind: 'due'; at: Date; spendingId: string }

/**
 * Every funding and due date of one bank account up to `now`, one event per missed occurrence,
 * in the order of their instants with funding first on a tie (`spec/decisions.md`, Missed
 * fundings and due dates). At most `limit` events, the earliest: the rest is for the next run.
 * Paused objects and rules that have ended miss nothing.
 */
export function missedEvents(
  { schedules, spending }: { schedules: readonly FundingSchedule[]; spending: readonly Spending[] },
  { timezone, now, limit }: { timezone: string; now: Date; limit: number },
): MissedEvent[] {
  const fundings = schedules.flatMap((schedule) =>
    missedDates(schedule, { now, limit }, (fired) => fire(fired, timezone)).map((at) => ({
      ...{ kind: 'funding' as const, at, fundingScheduleId: schedule.fundingScheduleId },
    })),
  )
  const dues = spending
    .filter((plan) => !plan.isPaused)
    .flatMap((plan) =>
      missedDates(plan, { now, limit }, (due) => ({ ...due, ...rollDue(due, timezone) })).map(
        (at) => ({ kind: 'due' as const, at, spendingId: plan.spendingId }),
      ),
    )
  // The sort is stable: fundings stay ahead of due dates of the same instant.
  return [...fundings, ...dues].sort((a, b) => a.at.getTime() - b.at.getTime()).slice(0, limit)
}

type Dates = { lastRecurrence: Date | null; nextRecurrence: Date }

function missedDates<T extends Dates>(
  first: T,
  { now, limit }: { now: Date; limit: number },
  step: (current: T) => T,
): Date[] {
  const missed: Date[] = []
  let current = first
  while (missed.length < limit && current.nextRecurrence <= now && !isOver(current)) {
    missed.push(current.nextRecurrence)
    current = step(current)
  }
  return missed
}

type Funding = Extract<MissedEvent, { kind: 'funding' }>
type DueDate = Extract<MissedEvent, { kind: 'due' }>

/** Events in a row that are decided and booked at once: firings, then due dates. */
export type Stretch = { fundings: Funding[]; dues: DueDate[] }

const duesMax = 20

/**
 * Cuts events, in their order, into stretches whose firings do not depend on each other: they are
 * of different schedules, with no due date between them.
 */
export function stretchesOf(events: readonly MissedEvent[]): Stretch[] {
  const stretches: Stretch[] = []
  for (const event of events) {
    let last = stretches.at(-1)
    if (!last || !hasRoom(last, event)) {
      last = { fundings: [], dues: [] }
      stretches.push(last)
    }
    if (event.kind === 'funding') last.fundings.push(event)
    else last.dues.push(event)
  }
  return stretches
}

function hasRoom({ fundings, dues }: Stretch, event: MissedEvent): boolean {
  if (event.kind === 'due') return dues.length < duesMax
  const isAnother = fundings.every((one) => one.fundingScheduleId !== event.fundingScheduleId)
  return dues.length === 0 && isAnother
}

/**
 * What the envelopes of a schedule get when it fires for `schedule.nextRecurrence`: the
 * contribution that was announced, or the one as of that instant where later ones have been
 * calculated since. Never more than the due dates until the next firing need, which is the
 * target unless an expense is due more often than it is funded (`spec/decisions.md`,
 * Contribution). Nothing while paused.
 */
export function fundingLines(
  plans: readonly Spending[],
  schedule: FundingSchedule,
  timezone: string,
): FundingLine[] {
  const range = {
    from: schedule.nextRecurrence.getTime(),
    before: fire(schedule, timezone).nextRecurrence.getTime(),
  }
  return plans
    .filter((plan) => !plan.isPaused)
    .map((plan) => {
      const dues = Math.max(1, countDues(plan, timezone, range))
      const ceiling = needed(plan.targetAmount * BigInt(dues))
      const missing = ceiling - progress(plan)
      const amount = lesser(announced(plan, schedule, timezone), missing)
      return { spendingId: plan.spendingId, amount, ceiling }
    })
    .filter((line) => line.amount > 0n)
}

function announced(plan: Spending, schedule: FundingSchedule, timezone: string): bigint {
  const { nextRecurrence } = schedule
  if (plan.calculatedAt < nextRecurrence) {
    return plan.nextContributionAmount
  }
  const now = new Date(nextRecurrence.getTime() - 1)
  return recalculate(plan, schedule, { timezone, now }).nextContributionAmount
}
