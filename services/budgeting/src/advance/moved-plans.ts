import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { movedTo } from '@coffer/kit/values/day'
import { type FundingSchedule, isOver } from '../book/funding-schedule.ts'
import { type FundedSpending, withFunding } from '../book/spending.ts'
import { justAfter, withContribution } from '../plans/plan.ts'
import type { Current, Decision } from '../plans/unit-of-work.ts'
import { movedRuleset } from '../recurrence/moved-ruleset.ts'

type Zones = { from: string; to: string }

/**
 * Decides the move of all plans and schedules of a bank account to another timezone
 * (docs/account-data.md#a-new-timezone): dates and rules keep their days, contributions are
 * recalculated. With `isLive`, throws unavailable while a funding or due date up to `now` is not
 * booked, because a repeated booking must have the same date.
 */
export function movePlans(
  { plans, schedules, runs }: Pick<Current, 'plans' | 'schedules' | 'runs'>,
  { isLive, now, ...zones }: Zones & { isLive: boolean; now: Date },
): Decision<void> {
  const isDue = (one: { nextRecurrence: Date; lastRecurrence: Date | null }) =>
    one.nextRecurrence <= now && !isOver(one)
  const waits = plans.some((plan) => plan.state === 'open' && !plan.isPaused && isDue(plan))
  const fires = schedules.some((one) => one.deletedAt === null && isDue(one))
  if (isLive && (runs.length > 0 || waits || fires)) {
    throw unavailable(say('BILL_NOT_BOOKED'))
  }
  const moved = new Map(
    schedules.map((one) => [one.fundingScheduleId, moveSchedule(one, zones)] as const),
  )
  return {
    reply: undefined,
    schedules: [...moved.values()],
    plans: plans.flatMap((plan) => {
      const schedule = moved.get(plan.fundingScheduleId)
      return schedule ? movePlan(plan, schedule, { ...zones, now }) : []
    }),
  }
}

function moveSchedule(schedule: FundingSchedule, zones: Zones): FundingSchedule {
  const { ruleset, lastRecurrence, nextRecurrence, nextRecurrenceOriginal } = schedule
  return {
    ...schedule,
    ruleset: movedRuleset(ruleset, zones),
    lastRecurrence: lastRecurrence && movedTo(lastRecurrence, zones),
    nextRecurrence: movedTo(nextRecurrence, zones),
    nextRecurrenceOriginal: movedTo(nextRecurrenceOriginal, zones),
  }
}

function movePlan(
  plan: FundedSpending,
  schedule: FundingSchedule,
  { now, ...zones }: Zones & { now: Date },
): FundedSpending {
  const { ruleset, lastRecurrence, nextRecurrence, settledFor, periodSpentOn } = plan
  const moved = {
    ...plan,
    ruleset: ruleset && movedRuleset(ruleset, zones),
    lastRecurrence: lastRecurrence && movedTo(lastRecurrence, zones),
    nextRecurrence: movedTo(nextRecurrence, zones),
    settledFor: settledFor && movedTo(settledFor, zones),
    periodSpentOn: periodSpentOn && movedTo(periodSpentOn, zones),
  }
  // In a timezone further west, the midnight of a firing that ran today is still to come.
  // Calculating as of just after it avoids counting this firing twice.
  const fired = schedule.lastRecurrence
  const asOf = fired && fired >= now ? justAfter(fired) : now
  return withContribution(withFunding(moved, schedule), { timezone: zones.to, now: asOf })
}
