import { newId } from '@coffer/kit/id'
import { fundingLines, type Stretch } from './advance.ts'
import { lockSchedules, saveDates } from './advance-rows.sql.ts'
import type { AdvanceDeps, Advancing } from './advance-together.activities.ts'
import { afterFunding } from './advanced-plan.ts'
import { insertRuns, type RunLine } from './funding-run.sql.ts'
import type { FundingRun } from './funding-run.ts'
import { type FundingSchedule, fire, isOver } from './funding-schedule.ts'
import { justAfter } from './plan.ts'
import { lockPlansOfAll, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/** A schedule that fires for its next date, on the bank account that is advanced. */
interface Firing {
  advancing: Advancing
  schedule: FundingSchedule
}

/** What a firing comes to: a run, or where there is nothing to move, the plans as they go on. */
interface Decided {
  fired: FundingSchedule
  run: FundingRun | null
  lines: RunLine[]
  plans: FundedSpending[]
}

/**
 * Decides what firings move and moves their schedules on, in one transaction: the amounts are never
 * computed again. The runs are pending then. A firing that somebody else has decided, or whose
 * schedule is gone, is passed over.
 */
export async function decideRuns(
  { database, clock }: Pick<AdvanceDeps, 'database' | 'clock'>,
  steps: readonly { advancing: Advancing; fundings: Stretch['fundings'] }[],
): Promise<void> {
  const asked = steps.flatMap(({ advancing, fundings }) =>
    fundings.map(({ fundingScheduleId, at }) => ({ advancing, fundingScheduleId, at })),
  )
  if (asked.length === 0) return
  await database.transaction(async (tx) => {
    const keys = asked
      .map(({ advancing, ...one }) => ({ ...advancing.scope, ...one }))
      .sort((a, b) => (textOf(a) < textOf(b) ? -1 : 1))
    const schedules = new Map((await lockSchedules(tx, keys)).map((one) => [textOf(one), one]))
    const firings = asked.flatMap(({ advancing, fundingScheduleId, at }): Firing[] => {
      const schedule = schedules.get(textOf({ ...advancing.scope, fundingScheduleId }))
      return schedule && firesAt(schedule, at) ? [{ advancing, schedule }] : []
    })
    if (firings.length === 0) return
    const plans = await lockPlansOfAll(
      tx,
      [...new Set(firings.map(({ advancing }) => advancing.scope))],
      {
        fundingScheduleIds: firings.map(({ schedule }) => schedule.fundingScheduleId),
        spendingIds: [],
      },
    )
    const bySchedule = Map.groupBy(plans, textOf)
    const decided = firings.map((firing) =>
      decide(firing, bySchedule.get(textOf(firing.schedule)) ?? [], clock()),
    )
    const runs = decided.flatMap(({ run }) => run ?? [])
    await saveDates(
      tx,
      decided.map(({ fired }) => fired),
    )
    if (runs.length > 0)
      await insertRuns(
        tx,
        runs,
        decided.flatMap(({ lines }) => lines),
      )
    await savePlans(
      tx,
      decided.flatMap((one) => one.plans),
    )
  })
}

function textOf(key: Pick<FundingSchedule, 'accountId' | 'bankAccountId' | 'fundingScheduleId'>) {
  return `${key.accountId} ${key.bankAccountId} ${key.fundingScheduleId}`
}

/** The last firing of a rule leaves its date where it was. */
function firesAt(schedule: FundingSchedule, at: Date): boolean {
  return schedule.nextRecurrence.getTime() === at.getTime() && !isOver(schedule)
}

function decide(
  { advancing, schedule }: Firing,
  plans: readonly FundedSpending[],
  now: Date,
): Decided {
  const { scope, timezone, isManualLink } = advancing
  const { fundingScheduleId, nextRecurrence: occurrence } = schedule
  const fired = fire(schedule, timezone)
  const deposit = depositOf(schedule, isManualLink)
  const fundingRunId = newId('run')
  const lines = fundingLines(plans, schedule, timezone).map((line) => {
    return { ...scope, ...line, fundingRunId }
  })
  if (lines.length === 0 && deposit.depositAmount === null) {
    const next = plans.map((plan) => ({ ...plan, fundingNextRecurrence: fired.nextRecurrence }))
    const asOf = { timezone, now: justAfter(occurrence) }
    return { fired, run: null, lines, plans: afterFunding(next, [], asOf) }
  }
  const identity = { ...scope, fundingRunId, fundingScheduleId, occurrence }
  const run: FundingRun = { ...identity, ...deposit, state: 'pending', createdAt: now }
  return { fired, run, lines, plans: [] }
}

/** The deposit a schedule makes by itself, on a manual link (`spec/budgeting.md` 7.1). */
function depositOf(schedule: FundingSchedule, isManualLink: boolean) {
  const amount = schedule.estimatedDeposit ?? 0n
  return schedule.autoCreateTransaction && isManualLink && amount > 0n
    ? {
        depositTransactionId: newId('txn'),
        depositName: schedule.name,
        depositAmount: -amount,
      }
    : { depositTransactionId: null, depositName: null, depositAmount: null }
}
