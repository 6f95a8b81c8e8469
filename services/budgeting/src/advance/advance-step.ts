import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { rollDue } from '../contributions/due-dates.ts'
import { type Amounts, type AsOf, justAfter, withAmounts, withContribution } from '../plans/plan.ts'
import { type FundedSpending, withFunding } from '../plans/spending.ts'
import type { Current, Decision } from '../plans/unit-of-work.ts'
import { type FundingSchedule, fire, isOver } from '../schedules/funding-schedule.ts'
import {
  calculateLines,
  type DateBatch,
  listMissedDates,
  type MissedDate,
  splitIntoBatches,
} from './advance.ts'
import type { FundingRun, RunLine } from './funding-run.ts'

/** A bank account that the hourly job advances. */
export interface Advancing {
  scope: BankAccountKey
  timezone: string
  isManualLink: boolean
  /** Amounts in the ledger before the first step. */
  envelopes: readonly Amounts[]
}

/** An operation to book: a pending run, or a due date with the plan as of that date. */
export type BookableOperation =
  | { kind: 'run'; run: FundingRun; lines: readonly RunLine[] }
  | { kind: 'due'; plan: FundedSpending }

/** An operation after its booking, with the amounts of the ledger's answer; empty for goals. */
export type BookedOperation = BookableOperation & { envelopes: readonly Amounts[] }

/** Input of a step. */
interface StepInput {
  advancing: Advancing
  /** Operations that the step before decided. */
  booked: readonly BookedOperation[]
  now: Date
  /** Creates IDs with a prefix. A parameter, so that the decision itself uses no randomness. */
  createId: (prefix: string) => string
}

/** Maximum number of missed dates that a step lists. It takes the first batch of them. */
const missedMax = 50

/** Rows of a step, which the functions of this file change. */
interface StepState {
  advancing: Advancing
  now: Date
  createId: StepInput['createId']
  plans: Map<string, FundedSpending>
  schedules: Map<string, FundingSchedule>
  /** Pending runs. */
  runs: Map<string, FundingRun>
  savedRuns: FundingRun[]
  savedLines: RunLine[]
}

/**
 * Decides one step of a bank account: applies the booked operations to the plans, then decides the
 * next firings and sets the next dates of their schedules (docs/hourly-job.md#steps-and-retries).
 * Replies the operations to book next, null if nothing is left. Pending runs are booked first, so
 * that their money is there before a later due date. Idempotent: operations that another process
 * has applied are skipped.
 */
export function decideStep(
  current: Current,
  { advancing, booked, now, createId }: StepInput,
): Decision<BookableOperation[] | null> {
  const state: StepState = {
    advancing,
    now,
    createId,
    plans: new Map(
      current.plans.flatMap((plan) => (plan.state === 'open' ? [[plan.spendingId, plan]] : [])),
    ),
    schedules: new Map(
      current.schedules.flatMap((one) => {
        return one.deletedAt === null ? [[one.fundingScheduleId, one]] : []
      }),
    ),
    runs: new Map(current.runs.map((run) => [run.fundingRunId, run])),
    savedRuns: [],
    savedLines: [],
  }
  const before = new Map(state.plans)
  for (const one of booked) applyBooked(state, one)
  const reply = state.runs.size > 0 ? listPending(state, current.lines) : decideNext(state)
  return {
    reply,
    plans: [...state.plans].flatMap(([id, plan]) => (plan === before.get(id) ? [] : plan)),
    schedules: [...state.schedules.values()],
    runs: state.savedRuns,
    lines: state.savedLines,
  }
}

/** Applies a booked run, or a booked end of a period, to the plans. */
function applyBooked({ advancing, plans, runs, savedRuns }: StepState, one: BookedOperation): void {
  const { timezone } = advancing
  if (one.kind === 'due') {
    const plan = plans.get(one.plan.spendingId)
    const isUnchanged = plan?.nextRecurrence.getTime() === one.plan.nextRecurrence.getTime()
    if (!plan || !isUnchanged || isOver(plan)) return
    plans.set(plan.spendingId, afterDue(plan, one.envelopes[0], timezone))
    return
  }
  const { fundingRunId, fundingScheduleId, occurrence } = one.run
  if (!runs.delete(fundingRunId)) return
  savedRuns.push({ ...one.run, state: 'applied' })
  const funded = [...plans.values()].filter((plan) => plan.fundingScheduleId === fundingScheduleId)
  const asOf = { timezone, now: justAfter(occurrence) }
  for (const plan of afterFunding(funded, one.envelopes, asOf)) plans.set(plan.spendingId, plan)
}

/**
 * Returns the plans of a schedule after its firing, with the ledger's amounts and new
 * contributions. Leaves out paused plans.
 */
function afterFunding(
  plans: readonly FundedSpending[],
  envelopes: readonly Amounts[],
  asOf: AsOf,
): FundedSpending[] {
  const byId = new Map(envelopes.map((envelope) => [envelope.spendingId, envelope]))
  return plans
    .filter((plan) => !plan.isPaused)
    .map((plan) => withContribution(withAmounts(plan, byId.get(plan.spendingId), asOf), asOf))
}

/**
 * Returns a plan after its due date: an expense gets its next due date, a goal keeps its date
 * (docs/hourly-job.md#due-dates). `amounts` is the ledger's answer, undefined for a goal.
 */
function afterDue(
  plan: FundedSpending,
  amounts: Amounts | undefined,
  timezone: string,
): FundedSpending {
  const asOf = { timezone, now: justAfter(plan.nextRecurrence) }
  const closed = withAmounts(plan, amounts, asOf)
  return withContribution({ ...closed, ...rollDue(closed, timezone) }, asOf)
}

function listPending({ runs }: StepState, lines: readonly RunLine[]): BookableOperation[] {
  return [...runs.values()].map((run) => {
    const isOf = ({ fundingRunId }: RunLine) => fundingRunId === run.fundingRunId
    return { kind: 'run', run, lines: lines.filter(isOf) }
  })
}

function decideNext(state: StepState): BookableOperation[] | null {
  const { timezone } = state.advancing
  const missed = listMissedDates(
    { schedules: [...state.schedules.values()], spending: [...state.plans.values()] },
    { timezone, now: state.now, limit: missedMax },
  )
  const [first] = missed
  const [batch] = splitIntoBatches(missed)
  if (!first || !batch) return null
  mergeAmounts(state, first)
  return [...decideFirings(state, batch), ...listDues(state, batch)]
}

/**
 * Updates the plans to the ledger's amounts, so that decisions do not depend on delayed events of
 * the ledger. Contributions are as of 1 ms before the first missed date.
 */
function mergeAmounts({ advancing, plans }: StepState, first: MissedDate): void {
  const asOf = { timezone: advancing.timezone, now: new Date(first.at.getTime() - 1) }
  const byId = new Map(advancing.envelopes.map((envelope) => [envelope.spendingId, envelope]))
  for (const [id, plan] of plans) plans.set(id, withAmounts(plan, byId.get(id), asOf))
}

/**
 * Sets the next dates of the fired schedules, and creates a run for each firing. The amounts of a
 * run are stored and never calculated again. A firing that moves no money creates no run; its plans
 * are updated here.
 */
function decideFirings(state: StepState, { fundings }: DateBatch): BookableOperation[] {
  const { advancing, plans, schedules } = state
  const { scope, timezone, isManualLink } = advancing
  return fundings.flatMap(({ fundingScheduleId, at: occurrence }): BookableOperation[] => {
    const schedule = schedules.get(fundingScheduleId)
    if (!schedule) return []
    const fired = fire(schedule, timezone)
    schedules.set(fundingScheduleId, fired)
    const funded = [...plans.values()].filter((one) => one.fundingScheduleId === fundingScheduleId)
    const fundingRunId = state.createId('run')
    const deposit = createDeposit(schedule, isManualLink, state.createId)
    const lines = calculateLines(funded, schedule, timezone).map((line) => {
      return { ...scope, ...line, fundingRunId }
    })
    if (lines.length === 0 && deposit.depositAmount === null) {
      const asOf = { timezone, now: justAfter(occurrence) }
      const next = funded.map((plan) => withFunding(plan, fired))
      for (const plan of afterFunding(next, [], asOf)) plans.set(plan.spendingId, plan)
      return []
    }
    const run: FundingRun = {
      ...scope,
      ...deposit,
      fundingRunId,
      fundingScheduleId,
      occurrence,
      state: 'pending',
      createdAt: state.now,
    }
    state.savedRuns.push(run)
    state.savedLines.push(...lines)
    return [{ kind: 'run', run, lines }]
  })
}

/** Lists the due dates of a batch, each with the plan as of that date; a plan may have several. */
function listDues({ advancing, plans }: StepState, { dues }: DateBatch): BookableOperation[] {
  const rolled = new Map<string, FundedSpending>()
  return dues.flatMap(({ spendingId }): BookableOperation[] => {
    const plan = rolled.get(spendingId) ?? plans.get(spendingId)
    if (!plan) return []
    rolled.set(spendingId, { ...plan, ...rollDue(plan, advancing.timezone) })
    return [{ kind: 'due', plan }]
  })
}

/**
 * Returns the fields of a firing's automatic deposit (docs/funding-schedules.md#deposits), all null
 * without one.
 */
function createDeposit(
  schedule: FundingSchedule,
  isManualLink: boolean,
  createId: StepInput['createId'],
) {
  const amount = schedule.estimatedDeposit ?? 0n
  return schedule.autoCreateTransaction && isManualLink && amount > 0n
    ? {
        depositTransactionId: createId('txn'),
        depositName: schedule.name,
        depositAmount: -amount,
      }
    : { depositTransactionId: null, depositName: null, depositAmount: null }
}
