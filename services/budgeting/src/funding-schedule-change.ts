import { invalid } from '@coffer/kit/errors'
import {
  type FundingSchedule,
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
 * need another contribution (`spec/budgeting.md` 2.4 with `spec/decisions.md`). A changed rule does
 * not move the next date; a changed next date is the event itself. Throws invalid, also where the
 * stored next date has passed and no new one was sent, and refuses automatic deposits that are not
 * allowed.
 */
export function changeFundingSchedule(
  current: FundingSchedule,
  patch: FundingSchedulePatch,
  { now, isManualLink }: { now: Date; isManualLink: boolean },
): { schedule: FundingSchedule; firesOtherwise: boolean } {
  refuseCleared(patch)
  const nextRecurrence = patch.nextRecurrence ?? current.nextRecurrence
  const isMoved = nextRecurrence.getTime() !== current.nextRecurrence.getTime()
  const schedule: FundingSchedule = {
    ...current,
    name: patch.name ?? current.name,
    description: given(patch.description, current.description) || null,
    ruleset: patch.ruleset ? normalRuleset(patch.ruleset) : current.ruleset,
    excludeWeekends: patch.excludeWeekends ?? current.excludeWeekends,
    autoCreateTransaction: patch.autoCreateTransaction ?? current.autoCreateTransaction,
    estimatedDeposit: given(patch.estimatedDeposit, current.estimatedDeposit),
    nextRecurrence,
    nextRecurrenceOriginal: isMoved ? nextRecurrence : current.nextRecurrenceOriginal,
  }
  if (nextRecurrence < now) throw invalid({ nextRecurrence: notInFuture }, notInFuture)
  requireDepositAllowed(schedule, isManualLink)
  const firesOtherwise =
    isMoved ||
    schedule.ruleset !== current.ruleset ||
    schedule.excludeWeekends !== current.excludeWeekends
  return { schedule, firesOtherwise }
}

/** Whether a change may move the dates at which a schedule fires. */
export function mayFireOtherwise(patch: FundingSchedulePatch): boolean {
  return 'nextRecurrence' in patch || 'ruleset' in patch || 'excludeWeekends' in patch
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
