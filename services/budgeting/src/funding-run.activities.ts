import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { type Envelope, EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { lockSchedule, saveDates } from './advance.sql.ts'
import { fundingLines } from './advance.ts'
import type { AdvanceDeps, Advancing } from './advance-bank-account.activities.ts'
import { endRun, insertRun, linesOf } from './funding-run.sql.ts'
import type { FundingRun } from './funding-run.ts'
import { type FundingSchedule, fire, isOver } from './funding-schedule.ts'
import { asSystem } from './ledger.client.ts'
import { type AsOf, withAmounts, withContribution } from './plan.ts'
import { lockPlans, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/**
 * Decides what a firing moves and moves the schedule on, in one transaction: the amounts are
 * never computed again. Null when the schedule has fired for this date already, or there is
 * nothing to move.
 */
export async function decideRun(
  { database, clock }: Pick<AdvanceDeps, 'database' | 'clock'>,
  { scope, timezone, isManualLink }: Advancing,
  { fundingScheduleId, at }: { fundingScheduleId: string; at: Date },
): Promise<FundingRun | null> {
  return database.transaction(async (tx) => {
    const schedule = await lockSchedule(tx, scope, fundingScheduleId)
    // The last firing of a rule leaves its date where it was.
    if (schedule?.nextRecurrence.getTime() !== at.getTime() || isOver(schedule)) return null
    const plans = await lockPlans(tx, scope, { fundingScheduleId })
    const lines = fundingLines(plans, schedule, timezone)
    const deposit = depositOf(schedule, isManualLink)
    const fired = fire(schedule, timezone)
    await saveDates(tx, fired)
    if (lines.length === 0 && deposit.depositAmount === null) {
      const next = plans.map((plan) => ({ ...plan, fundingNextRecurrence: fired.nextRecurrence }))
      await savePlans(tx, calculated(next, [], { timezone, now: justAfter(at) }))
      return null
    }
    const identity = { ...scope, fundingRunId: newId('run'), fundingScheduleId, occurrence: at }
    const run: FundingRun = { ...identity, ...deposit, state: 'pending', createdAt: clock() }
    await insertRun(tx, run, lines)
    return run
  })
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

/**
 * Has the ledger book a run, which it does once, and gives its envelopes their next
 * contribution.
 */
export async function bookRun(
  deps: AdvanceDeps,
  { scope, timezone }: Advancing,
  run: FundingRun,
): Promise<void> {
  const { database, mesh } = deps
  const { bankAccountId, fundingRunId, fundingScheduleId, occurrence } = run
  const lines = await linesOf(database, run)
  const booking = { bankAccountId, fundingRunId, fundingScheduleId, lines: [...lines] }
  const deposit = depositMessage(run)
  const { envelopes } = await mesh
    .client('ledger', EnvelopeService)
    .applyFunding({ ...booking, ...(deposit ? { deposit } : {}) }, asSystem(deps, scope.accountId))
  const asOf = { timezone, now: justAfter(occurrence) }
  await database.transaction(async (tx) => {
    if (!(await endRun(tx, run))) return
    const plans = await lockPlans(tx, scope, { fundingScheduleId })
    await savePlans(tx, calculated(plans, envelopes, asOf))
  })
}

/** The plans with what the ledger has answered; paused ones are left as they are. */
function calculated(
  plans: readonly FundedSpending[],
  envelopes: readonly Envelope[],
  asOf: AsOf,
): FundedSpending[] {
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  return plans
    .filter((plan) => !plan.isPaused)
    .map((plan) => {
      const envelope = byId.get(plan.spendingId)
      return withContribution(envelope ? withAmounts(plan, envelope, asOf) : plan, asOf)
    })
}

/** An event has happened by the instant after its own (`spec/budgeting.md` section 4, due day). */
function justAfter(at: Date): Date {
  return new Date(at.getTime() + 1)
}

function depositMessage(run: FundingRun) {
  const { depositTransactionId, depositName, depositAmount, occurrence } = run
  return depositTransactionId === null || depositName === null || depositAmount === null
    ? null
    : {
        transactionId: depositTransactionId,
        name: depositName,
        amount: depositAmount,
        date: timestampFromDate(occurrence),
      }
}
