import { newId } from '@coffer/kit/values/id'
import { rollDue } from '../contributions/due-dates.ts'
import { type Amounts, changedBy, justAfter } from '../plans/plan.ts'
import { type FundedSpending, type PlanScope, withFunding } from '../plans/spending.ts'
import type { Current, Decision } from '../plans/unit-of-work.ts'
import { type FundingSchedule, fire } from '../schedules/funding-schedule.ts'
import {
  fundingLines,
  type MissedEvent,
  missedEvents,
  type Stretch,
  stretchesOf,
} from './advance.ts'
import { afterDue, afterFunding, isDue } from './advanced-plan.ts'
import type { FundingRun, RunLine } from './funding-run.ts'

/** A bank account that is being advanced: where it is, on what kind of link, what it holds. */
export interface Advancing {
  scope: PlanScope
  timezone: string
  isManualLink: boolean
  /** As of the beginning. */
  envelopes: readonly Amounts[]
}

/** What the ledger is to book: a run that is pending, or a due date of a plan as it was then. */
export type Happening =
  | { kind: 'run'; run: FundingRun; lines: readonly RunLine[] }
  | { kind: 'due'; plan: FundedSpending }

/** With what the ledger has answered; it answers nothing of a due date that books nothing. */
export type Happened = Happening & { envelopes: readonly Amounts[] }

/** Events that are looked at: a stretch is some of them, the next step sees what is left. */
const eventsMax = 50

/** Rows as a step changes them. */
interface StepState {
  advancing: Advancing
  now: Date
  plans: Map<string, FundedSpending>
  schedules: Map<string, FundingSchedule>
  /** Pending ones. */
  runs: Map<string, FundingRun>
  lines: RunLine[]
  ended: FundingRun[]
  decided: FundingRun[]
}

/**
 * One step of what a bank account has missed: its plans go on from what the ledger has booked; then
 * the next firings are decided and their schedules moved on. Replies what the ledger is to book
 * next: all that is pending before anything else, so that no due date overtakes its money. Null
 * where nothing is left. May be repeated: what another process has done meanwhile is passed over.
 */
export function decideStep(
  current: Current,
  { advancing, happened, now }: { advancing: Advancing; happened: readonly Happened[]; now: Date },
): Decision<Happening[] | null> {
  const state: StepState = {
    advancing,
    now,
    plans: new Map(
      current.plans.flatMap((plan) => (plan.state === 'open' ? [[plan.spendingId, plan]] : [])),
    ),
    schedules: new Map(
      current.schedules.flatMap((one) => {
        return one.deletedAt === null ? [[one.fundingScheduleId, one]] : []
      }),
    ),
    runs: new Map(current.runs.map((run) => [run.fundingRunId, run])),
    lines: [],
    ended: [],
    decided: [],
  }
  const before = new Map(state.plans)
  for (const one of happened) goOn(state, one)
  const reply = state.runs.size > 0 ? pendingOf(state, current.lines) : decideNext(state)
  const read = new Map(current.schedules.map((one) => [one.fundingScheduleId, one]))
  return {
    reply,
    plans: [...state.plans].flatMap(([id, plan]) => (plan === before.get(id) ? [] : plan)),
    schedules: [...state.schedules].flatMap(([id, one]) => (one === read.get(id) ? [] : one)),
    runs: [...state.ended, ...state.decided],
    lines: state.lines,
  }
}

/** Ends a run or a period for the plans. */
function goOn({ advancing, plans, runs, ended }: StepState, one: Happened): void {
  const { timezone } = advancing
  if (one.kind === 'due') {
    const plan = plans.get(one.plan.spendingId)
    if (!plan || !isDue(plan, one.plan.nextRecurrence)) return
    plans.set(plan.spendingId, afterDue(plan, one.envelopes[0], timezone))
    return
  }
  const { fundingRunId, fundingScheduleId, occurrence } = one.run
  if (!runs.delete(fundingRunId)) return
  ended.push({ ...one.run, state: 'applied' })
  const funded = [...plans.values()].filter((plan) => plan.fundingScheduleId === fundingScheduleId)
  const asOf = { timezone, now: justAfter(occurrence) }
  for (const plan of afterFunding(funded, one.envelopes, asOf)) plans.set(plan.spendingId, plan)
}

function pendingOf({ runs }: StepState, lines: readonly RunLine[]): Happening[] {
  return [...runs.values()].map((run) => {
    const isOf = ({ fundingRunId }: RunLine) => fundingRunId === run.fundingRunId
    return { kind: 'run', run, lines: lines.filter(isOf) }
  })
}

function decideNext(state: StepState): Happening[] | null {
  const { timezone } = state.advancing
  const events = missedEvents(
    { schedules: [...state.schedules.values()], spending: [...state.plans.values()] },
    { timezone, now: state.now, limit: eventsMax },
  )
  const [first] = events
  const [stretch] = stretchesOf(events)
  if (!first || !stretch) return null
  bringAmounts(state, first)
  return [...firingsOf(state, stretch), ...duesOf(state, stretch)]
}

/**
 * Brings the plans the amounts that the ledger has: what is decided from here on must not depend on
 * how soon events come. As of before the first event: the contributions are those that all of them
 * would have been decided on.
 */
function bringAmounts({ advancing, plans }: StepState, first: MissedEvent): void {
  const asOf = { timezone: advancing.timezone, now: new Date(first.at.getTime() - 1) }
  const byId = new Map(advancing.envelopes.map((envelope) => [envelope.spendingId, envelope]))
  for (const plan of plans.values()) {
    const [changed] = changedBy(plan, byId.get(plan.spendingId), asOf)
    if (changed) plans.set(plan.spendingId, changed)
  }
}

/**
 * Moves the schedules on. A firing is a run, whose amounts are never computed again, or where there
 * is nothing to move, the plans go on at once.
 */
function firingsOf(state: StepState, { fundings }: Stretch): Happening[] {
  const { advancing, plans, schedules } = state
  const { scope, timezone, isManualLink } = advancing
  return fundings.flatMap(({ fundingScheduleId, at: occurrence }): Happening[] => {
    const schedule = schedules.get(fundingScheduleId)
    if (!schedule) return []
    const fired = fire(schedule, timezone)
    schedules.set(fundingScheduleId, fired)
    const funded = [...plans.values()].filter((one) => one.fundingScheduleId === fundingScheduleId)
    const fundingRunId = newId('run')
    const deposit = depositOf(schedule, isManualLink)
    const lines = fundingLines(funded, schedule, timezone).map((line) => {
      return { ...scope, ...line, fundingRunId }
    })
    if (lines.length === 0 && deposit.depositAmount === null) {
      const asOf = { timezone, now: justAfter(occurrence) }
      const next = funded.map((plan) => withFunding(plan, fired))
      for (const plan of afterFunding(next, [], asOf)) plans.set(plan.spendingId, plan)
      return []
    }
    const identity = { ...scope, fundingRunId, fundingScheduleId, occurrence }
    const run = { ...identity, ...deposit, state: 'pending' as const, createdAt: state.now }
    state.decided.push(run)
    state.lines.push(...lines)
    return [{ kind: 'run', run, lines }]
  })
}

/** The due dates; a plan may have several of them. */
function duesOf({ advancing, plans }: StepState, { dues }: Stretch): Happening[] {
  const rolled = new Map<string, FundedSpending>()
  return dues.flatMap(({ spendingId }): Happening[] => {
    const plan = rolled.get(spendingId) ?? plans.get(spendingId)
    if (!plan) return []
    rolled.set(spendingId, { ...plan, ...rollDue(plan, advancing.timezone) })
    return [{ kind: 'due', plan }]
  })
}

/** The deposit that a schedule makes by itself, on a manual link (docs/plans.md). */
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
