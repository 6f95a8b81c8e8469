import { say } from '@coffer/kit/reasons/reasons'
import { invalid } from '@coffer/kit/rpc/errors'
import type { FundingSchedule } from '../book/funding-schedule.ts'
import { type Funding, firstFunding } from '../contributions/funding-dates.ts'
import { noDateLeft, notInFuture } from '../recurrence/date-problems.ts'
import {
  type NewFundingSchedule,
  normalizeRuleset,
  requireDepositAllowed,
} from './funding-schedule-creation.ts'

/**
 * Fields of a PATCH. Depending on the field, null clears it, is refused, or is ignored
 * (docs/funding-schedules.md).
 */
export type FundingSchedulePatch = {
  [Field in keyof NewFundingSchedule]?: FundingSchedule[Field] | null
}

/**
 * Returns the changed schedule, and whether its plans have to be recalculated
 * (docs/funding-schedules.md#changing). Throws invalid, also if the next date would be in the past.
 */
export function changeFundingSchedule(
  current: FundingSchedule,
  patch: FundingSchedulePatch,
  where: { timezone: string; now: Date; isManualLink: boolean },
): { schedule: FundingSchedule; firesOtherwise: boolean } {
  refuseCleared(patch)
  const ruleset = patch.ruleset ? normalizeRuleset(patch.ruleset) : current.ruleset
  const excludeWeekends = patch.excludeWeekends ?? current.excludeWeekends
  const next = patch.nextRecurrence
    ? sentFunding(current, patch.nextRecurrence)
    : impliedFunding(current, { ruleset, excludeWeekends }, where)
  if (next.date < where.now) throw invalid({ nextRecurrence: notInFuture }, notInFuture)
  const schedule: FundingSchedule = {
    ...current,
    name: patch.name ?? current.name,
    description: given(patch.description, current.description) || null,
    ruleset,
    excludeWeekends,
    autoCreateTransaction: patch.autoCreateTransaction ?? current.autoCreateTransaction,
    estimatedDeposit: given(patch.estimatedDeposit, current.estimatedDeposit),
    nextRecurrence: next.date,
    nextRecurrenceOriginal: next.original,
  }
  requireDepositAllowed(schedule, where.isManualLink)
  const firesOtherwise =
    next.date.getTime() !== current.nextRecurrence.getTime() ||
    ruleset !== current.ruleset ||
    excludeWeekends !== current.excludeWeekends
  return { schedule, firesOtherwise }
}

/** Returns whether a PATCH has a field that may change the dates of a schedule. */
export function mayFireOtherwise(patch: FundingSchedulePatch): boolean {
  return 'nextRecurrence' in patch || 'ruleset' in patch || 'excludeWeekends' in patch
}

/**
 * Returns the firing on the date in a PATCH. A new date is not moved off a weekend, so its
 * `original`, the date before a move, is the date itself. The schedule's own date keeps its
 * `original`.
 */
function sentFunding(current: FundingSchedule, sent: Date): Funding {
  const isMoved = sent.getTime() !== current.nextRecurrence.getTime()
  return { date: sent, original: isMoved ? sent : current.nextRecurrenceOriginal }
}

/** Returns the firing of a PATCH without a date: the schedule's, or the first one of a new rule. */
function impliedFunding(
  current: FundingSchedule,
  changed: Pick<FundingSchedule, 'ruleset' | 'excludeWeekends'>,
  { timezone, now }: { timezone: string; now: Date },
): Funding {
  if (changed.ruleset === current.ruleset || current.nextRecurrence < now) {
    return { date: current.nextRecurrence, original: current.nextRecurrenceOriginal }
  }
  const next = firstFunding({ ...changed, nextRecurrence: null }, timezone, now)
  if (next === null) throw invalid({ ruleset: noDateLeft })
  return next
}

function refuseCleared(patch: FundingSchedulePatch): void {
  const cleared = (['name', 'ruleset', 'nextRecurrence'] as const).filter(
    (field) => patch[field] === null || patch[field] === '',
  )
  if (cleared.length === 0) return
  throw invalid(Object.fromEntries(cleared.map((field) => [field, say('BLANK')])))
}

function given<Value>(sent: Value | undefined, current: Value): Value {
  return sent === undefined ? current : sent
}
