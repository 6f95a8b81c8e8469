import type { FundingLine } from '../book/funding-run.ts'
import { type FundingSchedule, isOver } from '../book/funding-schedule.ts'
import type { Spending } from '../book/spending.ts'
import { limitToCeiling, progress, recalculate } from '../contributions/contribution.ts'
import { countDues, rollDue } from '../contributions/due-dates.ts'
import { countsFiredOne, fire } from '../contributions/funding-dates.ts'

/**
 * A past firing of a funding schedule, or a past due date or end of grace (docs/money/grace.md) of
 * a plan, that is not booked yet.
 */
export type MissedDate =
  | { kind: 'funding'; at: Date; fundingScheduleId: string }
  | { kind: 'due' | 'grace'; at: Date; spendingId: string }

/**
 * Lists the earliest `limit` firings, ends of grace and due dates up to `now` that are not booked,
 * ordered by instant. At the same instant, firings precede ends of grace, which precede due dates
 * (docs/hourly-job.md#order). Paused plans and ended rules have none.
 */
export function listMissedDates(
  { schedules, spending }: { schedules: readonly FundingSchedule[]; spending: readonly Spending[] },
  { timezone, now, limit }: { timezone: string; now: Date; limit: number },
): MissedDate[] {
  const fundings = schedules.flatMap((schedule) =>
    listInstants(schedule, { now, limit }, (fired) => fire(fired, timezone)).map((at) => ({
      kind: 'funding' as const,
      at,
      fundingScheduleId: schedule.fundingScheduleId,
    })),
  )
  const dues = spending
    .filter((plan) => !plan.isPaused)
    .flatMap((plan) =>
      listInstants(plan, { now, limit }, (due) => ({ ...due, ...rollDue(due, timezone) })).map(
        (at) => ({ kind: 'due' as const, at, spendingId: plan.spendingId }),
      ),
    )
  const graces = spending.flatMap(({ spendingId, graceUntil: at, isPaused }) =>
    at !== null && at <= now && !isPaused ? [{ kind: 'grace' as const, at, spendingId }] : [],
  )
  // Array.sort is stable: fundings, then graces, stay before due dates of the same instant.
  return [...fundings, ...graces, ...dues]
    .sort((a, b) => a.at.getTime() - b.at.getTime())
    .slice(0, limit)
}

type Dates = { lastRecurrence: Date | null; nextRecurrence: Date }

function listInstants<T extends Dates>(
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

type Funding = Extract<MissedDate, { kind: 'funding' }>
type DueDate = Exclude<MissedDate, Funding>

/** Consecutive dates that one step decides and books together: firings, then due dates. */
export type DateBatch = { fundings: Funding[]; dues: DueDate[] }

const duesMax = 20

/**
 * Splits ordered dates into batches. The firings of one batch belong to different schedules, with
 * no due date between them, so that none depends on another.
 */
export function splitIntoBatches(missed: readonly MissedDate[]): DateBatch[] {
  const batches: DateBatch[] = []
  for (const date of missed) {
    let last = batches.at(-1)
    if (!last || !fitsBatch(last, date)) {
      last = { fundings: [], dues: [] }
      batches.push(last)
    }
    if (date.kind === 'funding') last.fundings.push(date)
    else last.dues.push(date)
  }
  return batches
}

function fitsBatch({ fundings, dues }: DateBatch, date: MissedDate): boolean {
  if (date.kind !== 'funding') return dues.length < duesMax
  const isAnother = fundings.every((one) => one.fundingScheduleId !== date.fundingScheduleId)
  return dues.length === 0 && isAnother
}

/**
 * Calculates what the firing at `schedule.nextRecurrence` moves into each envelope, in minor units:
 * the contribution, at most what is missing for due dates before the next firing
 * (docs/hourly-job.md#fundings). Leaves out paused plans and envelopes that get nothing.
 */
export function calculateLines(
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
      const dues = countDues(plan, timezone, range)
      const terms = { target: plan.targetAmount, saved: progress(plan), dues }
      const line = limitToCeiling(findContribution(plan, schedule, timezone), terms)
      return { spendingId: plan.spendingId, ...line }
    })
    .filter((line) => line.amount > 0n)
}

/**
 * Returns the plan's contribution. Recalculates it as of the firing if it was calculated later, or
 * if it counts an occurrence that has already fired because the date was moved before a weekend.
 */
function findContribution(plan: Spending, schedule: FundingSchedule, timezone: string): bigint {
  const { nextRecurrence } = schedule
  const { calculatedAt, nextContributionAmount } = plan
  const isRight = calculatedAt < nextRecurrence && !countsFiredOne(schedule, timezone, calculatedAt)
  if (isRight) return nextContributionAmount
  const now = new Date(nextRecurrence.getTime() - 1)
  return recalculate(plan, schedule, { timezone, now }).nextContributionAmount
}
