import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import {
  changedRows,
  put,
  remove,
  type TrackedRows,
  track,
} from '@coffer/kit/database/tracked-rows'
import { nextVersion } from '@coffer/kit/database/version'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, unavailable } from '@coffer/kit/rpc/errors'
import type { Cause } from '@coffer/kit/values/changed-object'
import type { FundingRun, RunLine } from '../book/funding-run.ts'
import type { FundingSchedule } from '../book/funding-schedule.ts'
import { type FundedSpending, type Spending, withFunding } from '../book/spending.ts'
import { type ToldObjects, toldObjects } from './changed-objects.ts'

/** The rows of one bank account that a change reads or writes. */
export interface PlanScope extends BankAccountKey {
  /** IDs of plans; their schedules are read too. */
  spendingIds?: readonly string[]
  /** IDs of schedules; the plans on them are read too. */
  plansOnIds?: readonly string[]
  /** IDs of schedules that are read without their plans. */
  fundingScheduleIds?: readonly string[]
  /** Idempotency key of the request that created a plan; this plan is read. */
  openingKey?: string | null
  /** Whether every plan and schedule is read, and the pending runs with their lines. */
  isWhole?: boolean
  countsSchedules?: boolean
}

/** Stored rows of one bank account, as read for the changes that are decided together. */
export interface PlanState extends BankAccountKey {
  /** Version of the plans; 0 before the first save. */
  version: bigint
  /** Whether the bank account was removed with its link: every change is refused. */
  isRemoved: boolean
  /** IANA timezone of the account; null if it is not stored yet. */
  timezone: string | null
  /** Number of schedules that are not deleted; 0 unless a scope sets `countsSchedules`. */
  scheduleCount: number
  plans: readonly Spending[]
  schedules: readonly FundingSchedule[]
  runs: readonly FundingRun[]
  lines: readonly RunLine[]
}

/** Rows that a decision reads, with the changes of earlier decisions of the same save. */
export interface Current {
  timezone: string | null
  scheduleCount: number
  /** Plans, ordered by ID. */
  plans: readonly FundedSpending[]
  /** Schedules, deleted ones included. */
  schedules: readonly FundingSchedule[]
  /** Pending runs, ordered by occurrence. */
  runs: readonly FundingRun[]
  lines: readonly RunLine[]
}

/** Whole rows to save or delete, and the reply to send after the commit. */
export interface Decision<Reply> {
  reply: Reply
  plans?: readonly Spending[]
  deletedPlans?: readonly Spending[]
  schedules?: readonly FundingSchedule[]
  deletedSchedules?: readonly FundingSchedule[]
  runs?: readonly FundingRun[]
  lines?: readonly RunLine[]
  /** Rows of the table `idempotency_keys`. */
  replies?: readonly object[]
  /**
   * Whether the change only stores amounts that reads already show. It is not published to clients,
   * since the ledger has done so.
   */
  isKnown?: boolean
}

/** One requested change of a bank account's plans. */
export interface Work<Reply> {
  scope: PlanScope
  /** Timezone by which the change calculates dates; undefined if it calculates none. */
  timezone?: string
  /** Pure function, which may be called several times. An error rejects this work alone. */
  decide: (current: Current) => Decision<Reply>
}

/** A change and its cause, which is published with the objects that the change affects. */
export type CausedWork<Reply> = Work<Reply> & { cause: Cause }

/** All rows of one bank account that are saved together, each row once. */
export interface ChangeSet extends BankAccountKey {
  /** The version at the read; the save fails if it has changed. */
  readVersion: bigint
  version: bigint
  /** The timezone at the read; the first save of a bank account fails if it has changed. */
  timezone: string | null
  createdPlans: readonly Spending[]
  plans: readonly Spending[]
  deletedPlans: readonly Spending[]
  createdSchedules: readonly FundingSchedule[]
  schedules: readonly FundingSchedule[]
  deletedSchedules: readonly FundingSchedule[]
  createdRuns: readonly FundingRun[]
  runs: readonly FundingRun[]
  lines: readonly RunLine[]
  replies: readonly object[]
  told: readonly ToldObjects[]
}

/** Unit of work: the state after the decisions so far, and the rows to save. */
interface UnitOfWork {
  state: PlanState
  plans: TrackedRows<Spending>
  schedules: TrackedRows<FundingSchedule>
  runs: TrackedRows<FundingRun>
  lines: RunLine[]
  replies: object[]
  /** The cause of the last change of each row, by its ID. */
  causes: Map<string, Cause>
}

/**
 * Decides changes of one bank account in order, each with the effects of the changes before it. A
 * failed change has no effect; on a removed bank account every change fails with notFound. Returns
 * one outcome per change, and the change set, null if there is nothing to save.
 */
export function decideWorks(
  state: PlanState | undefined,
  works: readonly CausedWork<unknown>[],
  now: Date,
): { outcomes: PromiseSettledResult<unknown>[]; changeSet: ChangeSet | null } {
  if (!state || state.isRemoved) {
    const refusal = { status: 'rejected', reason: notFound('bank account') } as const
    return { outcomes: works.map(() => refusal), changeSet: null }
  }
  const unit: UnitOfWork = {
    state,
    plans: track(state.plans, ({ spendingId }) => spendingId),
    schedules: track(state.schedules, ({ fundingScheduleId }) => fundingScheduleId),
    runs: track(state.runs, ({ fundingRunId }) => fundingRunId),
    lines: [],
    replies: [],
    causes: new Map(),
  }
  const outcomes = works.map((work) => attempt(unit, work))
  return { outcomes, changeSet: changeSetOf(unit, now) }
}

function attempt(
  unit: UnitOfWork,
  { decide, timezone, cause }: CausedWork<unknown>,
): PromiseSettledResult<unknown> {
  try {
    requireTimezone(unit.state, timezone)
    const decision = decide(currentOf(unit))
    apply(unit, decision)
    noteCause(unit, decision, cause)
    return { status: 'fulfilled', value: decision.reply }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
}

/** Throws unavailable if the account's timezone has changed since `timezone` was read. */
function requireTimezone({ timezone: stored }: PlanState, timezone: string | undefined): void {
  if (timezone === undefined || stored === null || stored === timezone) return
  throw unavailable(say('TIMEZONE_CHANGES'))
}

function currentOf({ state, plans, schedules, runs, lines }: UnitOfWork): Current {
  const live = (rows: TrackedRows<FundingSchedule>) =>
    [...rows.current.values()].filter(({ deletedAt }) => deletedAt === null).length
  const countedBefore = state.schedules.filter(({ deletedAt }) => deletedAt === null).length
  return {
    timezone: state.timezone,
    scheduleCount: state.scheduleCount + live(schedules) - countedBefore,
    plans: [...plans.current.values()].sort(byId).flatMap((plan) => {
      const schedule = schedules.current.get(plan.fundingScheduleId)
      return schedule ? withFunding(plan, schedule) : []
    }),
    schedules: [...schedules.current.values()],
    runs: [...runs.current.values()].filter((run) => run.state === 'pending').sort(byOccurrence),
    lines: [...state.lines, ...lines],
  }
}

function byId(one: Spending, other: Spending): number {
  return one.spendingId < other.spendingId ? -1 : 1
}

function byOccurrence(one: FundingRun, other: FundingRun): number {
  const difference = one.occurrence.getTime() - other.occurrence.getTime()
  return difference || (one.fundingRunId < other.fundingRunId ? -1 : 1)
}

function apply(unit: UnitOfWork, decision: Decision<unknown>): void {
  put(unit.plans, decision.plans)
  remove(unit.plans, decision.deletedPlans)
  put(unit.schedules, decision.schedules)
  remove(unit.schedules, decision.deletedSchedules)
  put(unit.runs, decision.runs)
  unit.lines.push(...(decision.lines ?? []))
  unit.replies.push(...(decision.replies ?? []))
}

function noteCause({ causes }: UnitOfWork, decision: Decision<unknown>, cause: Cause): void {
  const { plans = [], schedules = [], isKnown = false } = decision
  if (isKnown) return
  for (const { spendingId } of plans) causes.set(spendingId, cause)
  for (const { fundingScheduleId } of schedules) causes.set(fundingScheduleId, cause)
}

function changeSetOf(unit: UnitOfWork, now: Date): ChangeSet | null {
  const { accountId, bankAccountId, timezone, version: readVersion } = unit.state
  const plans = changedRows(unit.plans)
  const schedules = changedRows(unit.schedules)
  const runs = changedRows(unit.runs)
  const parts = {
    createdPlans: plans.created,
    plans: plans.changed,
    deletedPlans: plans.deleted,
    createdSchedules: schedules.created,
    schedules: schedules.changed,
    deletedSchedules: schedules.deleted,
    createdRuns: runs.created,
    runs: runs.changed,
    lines: unit.lines,
    replies: unit.replies,
  }
  if (Object.values(parts).every((rows) => rows.length === 0)) return null
  const version = nextVersion(readVersion, now)
  const told = toldObjects(unit, { bankAccountId, version })
  return { accountId, bankAccountId, readVersion, version, timezone, ...parts, told }
}
