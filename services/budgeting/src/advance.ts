import { progress } from './contribution.ts'
import { countDues, rollDue } from './due-dates.ts'
import { type FundingSchedule, fire, isOver } from './funding-schedule.ts'

import type { Spending } from './spending.ts'

/** Something that should have happened by now: a schedule fires, or a spending object is due. */
export type MissedEvent =
  | { kind: 'funding'; at: Date; fundingScheduleId: string }
  | { kind: 'due'; at: Date; spendingId: string }

/** What a funding moves into one envelope, in minor units, up to `ceiling`. */
export type FundingLine = { spendingId: string; amount: bigint; ceiling: bigint }

/**
 * Every funding and due date of one bank account up to `now`, one event per missed occurrence,
 * in the order of their instants with funding first on a tie (`spec/decisions.md`, Missed
 * fundings and due dates). At most `limit` events, the earliest: the rest is for the next run.
 * Paused objects and rules that have ended miss nothing.
 */
export function missedEvents(
  { schedules, spending }: { schedules: FundingSchedule[]; spending: Spending[] },
  { timezone, now, limit }: { timezone: string; now: Date; limit: number },
): MissedEvent[] {
  const fundings = schedules.flatMap((schedule) =>
    missedDates(schedule, { now, limit }, (fired) => fire(fired, timezone)).map((at) => ({
      kind: 'funding' as const,
      at,
      fundingScheduleId: schedule.fundingScheduleId,
    })),
  )
  const dues = spending
    .filter((each) => !each.isPaused)
    .flatMap((each) =>
      missedDates(each, { now, limit }, (due) => ({ ...due, ...rollDue(due, timezone) })).map(
        (at) => ({
          kind: 'due' as const,
          at,
          spendingId: each.spendingId,
        }),
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

/**
 * What one envelope gets when its schedule fires: its stored contribution, never more than what
 * its due dates until the next firing need, which is its target unless it is due more often than
 * it is funded (`spec/decisions.md`, Contribution). Null when it gets nothing. `schedule` has
 * fired already.
 */
export function fundingLine(
  spending: Spending,
  schedule: FundingSchedule,
  timezone: string,
): FundingLine | null {
  const ceiling = spending.targetAmount * BigInt(duesUntilNextFunding(spending, schedule, timezone))
  const missing = ceiling - progress(spending)
  const amount =
    spending.nextContributionAmount < missing ? spending.nextContributionAmount : missing
  return spending.isPaused || amount <= 0n
    ? null
    : { spendingId: spending.spendingId, amount, ceiling }
}

function duesUntilNextFunding(
  spending: Spending,
  schedule: FundingSchedule,
  timezone: string,
): number {
  const { lastRecurrence, nextRecurrence } = schedule
  const range = { from: lastRecurrence?.getTime() ?? 0, before: nextRecurrence.getTime() }
  return Math.max(1, countDues(spending, timezone, range))
}
