import { invalid } from '@coffer/kit/rpc/errors'
import {
  type Funding,
  type FundingSchedule,
  firstFunding,
  noDateLeft,
  normalRuleset,
  notInFuture,
  requireDepositAllowed,
} from './funding-schedule.ts'

/** What a client changes of a schedule; null clears, and is refused or ignored where it cannot. */
export type FundingSchedulePatch = {
  [Field in
    | 'name'
    | 'description'
    | 'ruleset'
    | 'excludeWeekends'
    | 'autoCreateTransaction'
    | 'estimatedDeposit'
    | 'nextRecurrence']?: FundingSchedule[Field] | null
}

/**
 * The schedule with its changes, and whether it fires at other dates now, so that its envelopes
 * need another contribution (docs/plans.md). A next date that is sent is the event itself. Throws
 * invalid, also where the stored next date has passed and no new one was sent, and refuses
 * automatic deposits that are not allowed.
 */
export function changeFundingSchedule(
  current: FundingSchedule,
  patch: FundingSchedulePatch,
  where: { timezone: string; now: Date; isManualLink: boolean },
): { schedule: FundingSchedule; firesOtherwise: boolean } {
  refuseCleared(patch)
  const ruleset = patch.ruleset ? normalRuleset(patch.ruleset) : current.ruleset
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

/** Whether a change may move the dates at which a schedule fires. */
export function mayFireOtherwise(patch: FundingSchedulePatch): boolean {
  return 'nextRecurrence' in patch || 'ruleset' in patch || 'excludeWeekends' in patch
}

/** The event of a date that was sent; the stored date sent again stays the event it was. */
function sentFunding(current: FundingSchedule, sent: Date): Funding {
  const isMoved = sent.getTime() !== current.nextRecurrence.getTime()
  return { date: sent, original: isMoved ? sent : current.nextRecurrenceOriginal }
}

/** The stored event, or the next one of another rule; the hourly job fires one that has passed. */
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
  throw invalid(Object.fromEntries(cleared.map((field) => [field, 'cannot be blank'])))
}

function given<Value>(sent: Value | undefined, current: Value): Value {
  return sent === undefined ? current : sent
}
