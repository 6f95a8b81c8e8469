import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { FundingRun, RunLine } from '../book/funding-run.ts'
import { type FundingSchedule, isOver } from '../book/funding-schedule.ts'
import { type FundedSpending, withFunding } from '../book/spending.ts'
import type { AsOf } from '../contributions/contribution.ts'
import { rollDue } from '../contributions/due-dates.ts'
import { fire } from '../contributions/funding-dates.ts'
import { type Amounts, justAfter, withAmounts, withContribution } from '../plans/plan.ts'
import type { Current, Decision } from '../plans/unit-of-work.ts'
import {
  calculateLines,
  type DateBatch,
  listMissedDates,
  type MissedDate,
  splitIntoBatches,
} from './advance.ts'

/** A bank account whose past fundings and due dates the hourly job books. */
export interface Advancing {
  scope: BankAccountKey
  timezone: string
  isManualLink: boolean
  /** The ledger's amounts of the bank account's envelopes, read before the first step. */
  envelopes: readonly Amounts[]
}

/**
 * An operation to book in the ledger: a pending funding run, or for a plan its due date or the end
 * of its grace (docs/money/grace.md).
 */
export type BookableOperation =
  | { kind: 'run'; run: FundingRun; lines: readonly RunLine[] }
  | { kind: 'due' | 'grace'; plan: FundedSpending }

/** A booked operation with the envelope amounts of the ledger's response; a goal has no amounts. */
export type BookedOperation = BookableOperation & { envelopes: readonly Amounts[] }

interface StepInput {
  advancing: Advancing
  /** Operations of the previous step, which the ledger has booked by now. */
  booked: readonly BookedOperation[]
  now: Date
  /** Creates an ID with this prefix. A parameter, so that the decision itself is deterministic. */
  createId: (prefix: string) => string
}

/** Maximum number of past dates that a step calculates; the step books only their first batch. */
const missedMax = 50

/** Mutable state of one step: the rows that it reads and changes. */
interface StepState {
  advancing: Advancing
  now: Date
  createId: StepInput['createId']
  plans: Map<string, FundedSpending>
  schedules: Map<string, FundingSchedule>
  runs: Map<string, FundingRun>
  savedRuns: FundingRun[]
  savedLines: RunLine[]
}

/**
 * Decides one step (docs/hourly-job.md#steps-and-retries): applies booked operations to the plans,
 * then decides the operations of the next step. The reply is these operations, null if none is
 * left. Pending funding runs are booked first, so that envelopes hold their money at later due
 * dates. Idempotent: operations that another process has applied are skipped.
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

/** Updates the plans after one booked operation, unless another process has already done so. */
function applyBooked({ advancing, plans, runs, savedRuns }: StepState, one: BookedOperation): void {
  const { timezone } = advancing
  if (one.kind === 'grace') {
    const plan = plans.get(one.plan.spendingId)
    const isSame = plan?.graceUntil?.getTime() === one.plan.graceUntil?.getTime()
    if (plan?.graceUntil && isSame) {
      const asOf = { timezone, now: justAfter(plan.graceUntil) }
      plans.set(plan.spendingId, afterGrace(plan, one.envelopes[0], asOf))
    }
    return
  }
  if (one.kind !== 'run') {
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
 * Returns the plans of a fired schedule, except paused plans, with the ledger's amounts and new
 * contributions as of `asOf`.
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
 * Returns the plan after its due date, with the next due date (docs/hourly-job.md#due-dates) and a
 * new contribution. `amounts` is the ledger's response; undefined for a goal, which is not booked.
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

/**
 * Returns the plan after its grace. `amounts` is undefined if the grace had already ended in the
 * ledger.
 */
function afterGrace(plan: FundedSpending, amounts: Amounts | undefined, asOf: AsOf) {
  const ended = { ...plan, graceUntil: null, graceAmount: 0n }
  return withContribution(withAmounts(ended, amounts, asOf), asOf)
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
 * Copies the ledger's amounts into the plans, since the ledger's events may arrive later. New
 * contributions are as of 1 ms before the first missed date, so that they include this date.
 */
function mergeAmounts({ advancing, plans }: StepState, first: MissedDate): void {
  const asOf = { timezone: advancing.timezone, now: new Date(first.at.getTime() - 1) }
  const byId = new Map(advancing.envelopes.map((envelope) => [envelope.spendingId, envelope]))
  for (const [id, plan] of plans) plans.set(id, withAmounts(plan, byId.get(id), asOf))
}

/**
 * Sets the next date of each firing schedule and creates its funding run, whose amounts stay fixed.
 * Returns the runs to book. A firing that moves no money creates no run: the plans of the schedule
 * are updated at once.
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

/**
 * Lists the due dates and ends of grace of a batch, each with its plan as of that date. A plan with
 * several dates is listed once for each.
 */
function listDues({ advancing, plans }: StepState, { dues }: DateBatch): BookableOperation[] {
  const rolled = new Map<string, FundedSpending>()
  return dues.flatMap(({ kind, spendingId }): BookableOperation[] => {
    const plan = rolled.get(spendingId) ?? plans.get(spendingId)
    if (!plan) return []
    if (kind === 'grace') return [{ kind, plan }]
    rolled.set(spendingId, { ...plan, ...rollDue(plan, advancing.timezone) })
    return [{ kind: 'due', plan }]
  })
}

/**
 * Returns the automatic deposit of a firing (docs/funding-schedules.md#deposits); all fields are
 * null if there is none.
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
