import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import { EnvelopeService } from '@coffer/proto/ledger/v1/envelope'
import { lockSchedule, saveDates } from './advance.sql.ts'
import { fundingLines } from './advance.ts'
import type { AdvanceDeps, Advancing } from './advance-bank-account.activities.ts'
import { endRun, insertRun, linesOf } from './funding-run.sql.ts'
import type { FundingRun } from './funding-run.ts'
import { type FundingSchedule, fire } from './funding-schedule.ts'
import { asSystem } from './ledger.client.ts'
import { withAmounts, withContribution } from './plan.ts'
import { lockPlans, savePlans } from './spending.sql.ts'

/**
 * Decides what a firing moves and moves the schedule on, in one transaction: the amounts are never
 * computed again. Null when the schedule has fired for this date already, or there is nothing to move.
 */
export async function decideRun(
  { database, clock }: Pick<AdvanceDeps, 'database' | 'clock'>,
  { scope, timezone, isManualLink }: Advancing,
  { fundingScheduleId, at }: { fundingScheduleId: string; at: Date },
): Promise<FundingRun | null> {
  return database.transaction(async (tx) => {
    const schedule = await lockSchedule(tx, scope, fundingScheduleId)
    if (schedule?.nextRecurrence.getTime() !== at.getTime()) return null
    const plans = await lockPlans(tx, scope, { fundingScheduleId })
    const lines = fundingLines(plans, schedule, timezone)
    const deposit = depositOf(schedule, isManualLink)
    await saveDates(tx, fire(schedule, timezone))
    if (lines.length === 0 && deposit.depositAmount === null) return null
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

/** Has the ledger book a run, which it does once, and gives its envelopes their next contribution. */
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
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  const asOf = { timezone, now: new Date(occurrence.getTime() + 1) }
  await database.transaction(async (tx) => {
    if (!(await endRun(tx, run))) return
    const plans = await lockPlans(tx, scope, { fundingScheduleId })
    const funded = plans
      .filter((plan) => !plan.isPaused)
      .map((plan) => {
        const envelope = byId.get(plan.spendingId)
        return withContribution(envelope ? withAmounts(plan, envelope, asOf) : plan, asOf)
      })
    await savePlans(tx, funded)
  })
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
