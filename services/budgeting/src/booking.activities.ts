import type { MessageInitShape } from '@bufbuild/protobuf'
import { timestampFromDate } from '@bufbuild/protobuf/wkt'
import { newId } from '@coffer/kit/id'
import type { Envelope } from '@coffer/proto/ledger/v1/envelope'
import { type BookingSchema, ScheduledService } from '@coffer/proto/ledger/v1/scheduled'
import type { Stretch } from './advance.ts'
import type { AdvanceDeps, Advancing } from './advance-together.activities.ts'
import { afterDue, afterFunding, isDue } from './advanced-plan.ts'
import { rollDue } from './due-dates.ts'
import { endRuns, linesOf, pendingRuns, type RunLine } from './funding-run.sql.ts'
import type { FundingRun } from './funding-run.ts'
import { asJob } from './ledger.client.ts'
import { justAfter } from './plan.ts'
import { findPlansOfAll, lockPlansOfAll, type PlanKey, savePlans } from './spending.sql.ts'
import type { FundedSpending } from './spending.ts'

/** A bank account with due dates that come next, after all that is pending. */
export interface BookingStep {
  advancing: Advancing
  dues: Stretch['dues']
}

type Booking = MessageInitShape<typeof BookingSchema>

/** What the ledger books, and what it means for the plans. The due date of a goal books nothing. */
type Happening = { advancing: Advancing; booking: Booking | null } & (
  | { kind: 'run'; run: FundingRun }
  | { kind: 'due'; plan: FundedSpending }
)

/**
 * Has the ledger book all that is pending on these bank accounts, then the ends of the periods
 * that are due; each once, whoever asks for it again. Then the plans go on from what it answers.
 */
export async function bookSteps(deps: AdvanceDeps, steps: readonly BookingStep[]): Promise<void> {
  const { database, mesh } = deps
  const runs = await pendingRuns(
    database,
    steps.map(({ advancing }) => advancing.scope),
  )
  const lines = Map.groupBy(await linesOf(database, runs), ({ fundingRunId }) => fundingRunId)
  const runsByAccount = Map.groupBy(runs, accountOf)
  const plans = await plansDue(deps, steps)
  const happenings = steps.flatMap(({ advancing, dues }): Happening[] => [
    ...(runsByAccount.get(accountOf(advancing.scope)) ?? []).map((run): Happening => {
      const booking = fundingOf(run, lines.get(run.fundingRunId) ?? [])
      return { kind: 'run', advancing, run, booking }
    }),
    ...duesOf(deps, { advancing, dues }, plans),
  ])
  if (happenings.length === 0) return
  const bookings = happenings.flatMap(({ booking }) => booking ?? [])
  const { booked } =
    bookings.length === 0
      ? { booked: [] }
      : await mesh.client('ledger', ScheduledService).book({ bookings }, asJob(deps))
  const answers = new Map(bookings.map((booking, index) => [booking, booked[index]?.envelopes]))
  await savePlansAfter(
    deps,
    happenings.map((one) => ({
      ...one,
      envelopes: (one.booking && answers.get(one.booking)) ?? [],
    })),
  )
}

/** The plans of due dates, as they are by now. */
async function plansDue(
  { database }: AdvanceDeps,
  steps: readonly BookingStep[],
): Promise<Map<string, FundedSpending>> {
  const keys = steps.flatMap(({ advancing, dues }) =>
    dues.map(({ spendingId }) => ({ ...advancing.scope, spendingId })),
  )
  if (keys.length === 0) return new Map()
  const distinct = new Map(keys.map((key) => [planOf(key), key]))
  const plans = await findPlansOfAll(database, [...distinct.values()])
  return new Map(plans.map((plan) => [planOf(plan), plan]))
}

/** Those due dates that the plans still have; a plan may have several of them. */
function duesOf(
  deps: AdvanceDeps,
  { advancing, dues }: BookingStep,
  plans: ReadonlyMap<string, FundedSpending>,
): Happening[] {
  const current = new Map<string, FundedSpending>()
  return dues.flatMap(({ spendingId, at }): Happening[] => {
    const key = planOf({ ...advancing.scope, spendingId })
    const plan = current.get(key) ?? plans.get(key)
    if (plan?.state !== 'open' || plan.isPaused || !isDue(plan, at)) return []
    current.set(key, { ...plan, ...rollDue(plan, advancing.timezone) })
    const booking = plan.spendingType === 'expense' ? periodEndOf(deps, advancing, plan) : null
    return [{ kind: 'due', advancing, plan, booking }]
  })
}

type Happened = Happening & { envelopes: readonly Envelope[] }

/**
 * Ends the runs and moves the plans on, in one transaction. What somebody else has done meanwhile
 * is passed over.
 */
async function savePlansAfter(
  { database }: AdvanceDeps,
  happened: readonly Happened[],
): Promise<void> {
  const runs = happened.flatMap((one) => (one.kind === 'run' ? one.run : []))
  await database.transaction(async (tx) => {
    const ended = await endRuns(tx, runs)
    const scopes = [...new Set(happened.map(({ advancing }) => advancing.scope))]
    const locked = await lockPlansOfAll(tx, scopes, {
      fundingScheduleIds: runs.flatMap((run) =>
        ended.has(run.fundingRunId) ? run.fundingScheduleId : [],
      ),
      spendingIds: happened.flatMap((one) => (one.kind === 'due' ? one.plan.spendingId : [])),
    })
    const before = new Map(locked.map((plan) => [planOf(plan), plan]))
    const after = new Map(before)
    for (const one of happened) {
      if (one.kind === 'run' && !ended.has(one.run.fundingRunId)) continue
      for (const plan of plansAfter(one, after)) after.set(planOf(plan), plan)
    }
    await savePlans(
      tx,
      [...after].flatMap(([key, plan]) => (plan === before.get(key) ? [] : plan)),
    )
  })
}

/** The plans that one happening changes. */
function plansAfter(one: Happened, plans: ReadonlyMap<string, FundedSpending>): FundedSpending[] {
  const { advancing, envelopes } = one
  const { timezone } = advancing
  if (one.kind === 'run') {
    const asOf = { timezone, now: justAfter(one.run.occurrence) }
    const funded = [...plans.values()].filter((plan) => isOn(plan, one.run))
    return afterFunding(funded, envelopes, asOf)
  }
  const plan = plans.get(planOf(one.plan))
  return plan && isDue(plan, one.plan.nextRecurrence)
    ? [afterDue(plan, envelopes[0], timezone)]
    : []
}

function isOn(plan: FundedSpending, run: FundingRun): boolean {
  return accountOf(plan) === accountOf(run) && plan.fundingScheduleId === run.fundingScheduleId
}

function fundingOf(run: FundingRun, lines: readonly RunLine[]): Booking {
  const { accountId, bankAccountId, fundingRunId, fundingScheduleId } = run
  const deposit = depositOf(run)
  const value = { bankAccountId, fundingRunId, fundingScheduleId, lines: [...lines] }
  return {
    accountId,
    operation: { case: 'funding', value: { ...value, ...(deposit ? { deposit } : {}) } },
  }
}

function depositOf({ depositTransactionId, depositName, depositAmount, occurrence }: FundingRun) {
  return depositTransactionId === null || depositName === null || depositAmount === null
    ? null
    : {
        transactionId: depositTransactionId,
        name: depositName,
        amount: depositAmount,
        date: timestampFromDate(occurrence),
      }
}

function periodEndOf(
  { config }: AdvanceDeps,
  { isManualLink }: Advancing,
  { accountId, bankAccountId, spendingId, name, targetAmount, ...plan }: FundedSpending,
): Booking {
  const due = timestampFromDate(plan.nextRecurrence)
  const carryOver = config.expenseCarryOver
  const transaction = { transactionId: newId('txn'), name, amount: targetAmount, date: due }
  const value = {
    ...{ bankAccountId, spendingId, due, targetAmount, carryOver },
    ...(plan.autoCreateTransaction && isManualLink ? { transaction } : {}),
  }
  return { accountId, operation: { case: 'periodEnd', value } }
}

function accountOf({ accountId, bankAccountId }: { accountId: string; bankAccountId: string }) {
  return `${accountId} ${bankAccountId}`
}

function planOf(key: PlanKey): string {
  return `${accountOf(key)} ${key.spendingId}`
}
