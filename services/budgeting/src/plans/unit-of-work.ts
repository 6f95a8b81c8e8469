import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import {
  changedRows,
  put,
  remove,
  type TrackedRows,
  track,
} from '@coffer/kit/database/tracked-rows'
import { nextVersion } from '@coffer/kit/database/version'
import { notFound } from '@coffer/kit/rpc/errors'
import type { FundingRun, RunLine } from '../advance/funding-run.ts'
import type { FundingSchedule } from '../schedules/funding-schedule.ts'
import { type FundedSpending, type Spending, withFunding } from './spending.ts'

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
  /** Whether `scheduleCount` is read. */
  countsSchedules?: boolean
}

/** Stored rows of one bank account that the scopes of a round name. */
export interface PlanState extends BankAccountKey {
  /** Version of the plans; 0 before the first save. */
  version: bigint
  /** Whether the bank account was removed with its link: every change is refused. */
  isRemoved: boolean
  /** IANA timezone of the account; null until identity's first event or answer is stored. */
  timezone: string | null
  /** Number of schedules that are not deleted; 0 unless a scope sets `countsSchedules`. */
  scheduleCount: number
  plans: readonly Spending[]
  schedules: readonly FundingSchedule[]
  /** Pending runs. */
  runs: readonly FundingRun[]
  lines: readonly RunLine[]
}

/** Rows that a decision reads, with the changes of earlier decisions of the round. */
export interface Current {
  timezone: string | null
  scheduleCount: number
  /** Plans, ordered by ID. */
  plans: readonly FundedSpending[]
  /** Schedules, including deleted ones that the scope names. */
  schedules: readonly FundingSchedule[]
  /** Pending runs, ordered by occurrence. */
  runs: readonly FundingRun[]
  lines: readonly RunLine[]
}

/** Rows to save, each with all its fields, and the reply that is sent after the commit. */
export interface Decision<Reply> {
  reply: Reply
  plans?: readonly Spending[]
  deletedPlans?: readonly Spending[]
  schedules?: readonly FundingSchedule[]
  deletedSchedules?: readonly FundingSchedule[]
  runs?: readonly FundingRun[]
  /** Lines of new runs. */
  lines?: readonly RunLine[]
  /** Rows of idempotency_keys. */
  replies?: readonly object[]
}

/** One change of the plans of one bank account. */
export interface Work<Reply> {
  scope: PlanScope
  /** Pure function, which may be called several times. An error refuses this work alone. */
  decide: (current: Current) => Decision<Reply>
}

/** All rows that a round saves in one bank account, each row once. */
export interface ChangeSet extends BankAccountKey {
  /** The version at the read; the save fails if it has changed. */
  readVersion: bigint
  version: bigint
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
}

/** Unit of work: applies decisions in order and collects the rows to save. */
interface UnitOfWork {
  state: PlanState
  plans: TrackedRows<Spending>
  schedules: TrackedRows<FundingSchedule>
  runs: TrackedRows<FundingRun>
  lines: RunLine[]
  replies: object[]
}

/**
 * Decides works of one bank account in order; each reads the changes of the works before it. A
 * refused work changes nothing. On a removed bank account every work is refused with notFound.
 *
 * @returns an outcome for each work, and the change set; null if there is nothing to save
 */
export function decideWorks(
  state: PlanState | undefined,
  works: readonly Work<unknown>[],
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
  }
  const outcomes = works.map((work) => attempt(unit, work))
  return { outcomes, changeSet: changeSetOf(unit, now) }
}

function attempt(unit: UnitOfWork, { decide }: Work<unknown>): PromiseSettledResult<unknown> {
  try {
    const decision = decide(currentOf(unit))
    apply(unit, decision)
    return { status: 'fulfilled', value: decision.reply }
  } catch (reason) {
    return { status: 'rejected', reason }
  }
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

function changeSetOf(unit: UnitOfWork, now: Date): ChangeSet | null {
  const { accountId, bankAccountId, version: readVersion } = unit.state
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
  return { accountId, bankAccountId, readVersion, version, ...parts }
}
