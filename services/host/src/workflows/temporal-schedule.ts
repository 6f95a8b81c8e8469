import { setTimeout as sleep } from 'node:timers/promises'
import type { Log } from '@coffer/kit/service/log'
import type { WorkflowSchedule } from '@coffer/kit/workflows/workflows'
import {
  type Client,
  ScheduleAlreadyRunning,
  type ScheduleHandle,
  ScheduleNotFoundError,
  ScheduleOverlapPolicy,
} from '@temporalio/client'
import { z } from 'zod'

const retryMs = 2_000
const deadlineMs = 5_000
const lateMs = 3_000
const firstRevision = 1
// Number of checks of a schedule for each time that it is described, because describing costs
// Temporal more than an attempt to create a schedule that exists.
const checksPerDescription = 20
// Delays in ms of the triggers of a schedule that Temporal had lost, or that was created late. The
// workflows that it starts (sweeps) skip work younger than 30 s, and creations younger than 60 s,
// whose request may still run; later triggers find that work.
const catchUpMs = [0, 30_000, 65_000]

/** Keeps the schedules in Temporal equal to their definitions, even if Temporal loses its data. */
export interface Schedules extends AsyncDisposable {
  /**
   * Creates or updates a schedule, unless Temporal has a higher revision of it. Its ID includes the
   * deployment's prefix.
   */
  ensure: (schedule: WorkflowSchedule) => void
  remove: (scheduleId: string) => void
  /** Whether the last check could not store the schedules in Temporal. */
  isAway: () => boolean
}

interface ScheduleState {
  id: string
  definition: ReturnType<typeof definitionOf>
  revision: number
  /** Whether the schedule was found in Temporal or created. */
  isKnown: boolean
  /** Number of successful checks since `ensure` was called. */
  checks: number
  /** `performance.now()` at the call of `Schedules.ensure`. */
  askedAt: number
  /** Instants of `performance.now()` at which a check triggers the schedule, in order. */
  triggersAt: number[]
}

interface ReconcilerState {
  client: Client
  kept: Map<string, ScheduleState>
  former: Set<string>
  log: Log
  /**
   * Delay in ms of the first trigger of a schedule that was missing when this process started. The
   * deployment usually starts for the first time then: no work is unfinished, and the process is
   * busy.
   */
  newMs: number
  isBroken: boolean
}

/**
 * Reconciliation: creates or updates schedules in the background, and creates missing ones again
 * every `checkMs`, because Temporal may lose its database. Triggers schedules that Temporal had
 * lost, or that could not be created at once, to resume unfinished work.
 */
export function keepSchedules(
  client: Client,
  options: { log: Log; checkMs: number; newMs: number; taskQueue: string },
): Schedules {
  const { log, checkMs, newMs, taskQueue } = options
  const stopping = new AbortController()
  const state: ReconcilerState = {
    client,
    kept: new Map(),
    former: new Set(),
    log,
    newMs,
    isBroken: false,
  }
  let wake = new AbortController()
  let running: Promise<void> | undefined
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      wake = new AbortController()
      const isDone = await reconcile(state, stopping.signal)
      const signal = AbortSignal.any([stopping.signal, wake.signal])
      await sleep(isDone ? checkMs : retryMs, undefined, { signal }).catch(() => undefined)
    }
  }
  const begin = () => {
    wake.abort()
    running ??= run()
  }
  return {
    ensure: (schedule) => {
      state.kept.set(schedule.id, {
        id: schedule.id,
        definition: definitionOf(schedule, taskQueue),
        revision: schedule.revision ?? firstRevision,
        isKnown: false,
        checks: 0,
        askedAt: performance.now(),
        triggersAt: [],
      })
      state.former.delete(schedule.id)
      begin()
    },
    remove: (scheduleId) => {
      state.former.add(scheduleId)
      state.kept.delete(scheduleId)
      begin()
    },
    isAway: () => state.isBroken,
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      await running
    },
  }
}

/** Creates, updates or deletes every schedule once; returns false when a retry is needed. */
async function reconcile(state: ReconcilerState, stop: AbortSignal): Promise<boolean> {
  const { client, kept, former, log } = state
  const lost: string[] = []
  const outcomes = await client.withDeadline(Date.now() + deadlineMs, () => {
    const ensured = [...kept.values()].map((one) => ensure(state, one, lost))
    const removed = [...former].map((id) => remove(client, former, id))
    return Promise.allSettled([...ensured, ...removed])
  })
  if (stop.aborted) return true
  const failed = outcomes.find(({ status }) => status === 'rejected')
  if (lost.length > 0) {
    log.warn({ schedules: lost }, 'Temporal has lost schedules: they are made again')
  } else if (failed && !state.isBroken) {
    const { reason } = failed as PromiseRejectedResult
    log.warn({ err: reason }, 'Temporal does not take schedules: what is due waits')
  }
  const wasBroken = state.isBroken || lost.length > 0
  state.isBroken = failed !== undefined
  if (wasBroken && !state.isBroken) log.info('schedules are in place again')
  return !state.isBroken
}

/**
 * Creates the schedule, or updates it: at the first check, and if an older release has restored its
 * own definition. Adds its ID to `lost` if Temporal had it before in this process. Triggers a
 * schedule that was missing, as Temporal may have lost it while no process ran.
 */
async function ensure(
  { client, newMs }: ReconcilerState,
  one: ScheduleState,
  lost: string[],
): Promise<void> {
  const { id, definition, revision } = one
  const isMade = await create(client, one)
  const isLost = isMade && one.isKnown
  if (isLost) lost.push(id)
  const now = performance.now()
  const isLate = !one.isKnown && now > one.askedAt + lateMs
  const firstMs = isLost || isLate ? 0 : newMs
  if (isMade || isLate) one.triggersAt = catchUpMs.map((ms) => now + Math.max(ms, firstMs))
  one.isKnown = true
  const handle = client.schedule.getHandle(id)
  if (!isMade && one.checks % checksPerDescription === 0) {
    const found = await revisionOf(handle)
    if (one.checks === 0 ? found <= revision : found < revision) {
      await handle.update((previous) => ({ ...previous, ...definition }))
    }
  }
  one.checks += 1
  const later = one.triggersAt.filter((at) => at > now)
  if (later.length === one.triggersAt.length) return
  await handle.trigger()
  one.triggersAt = later
}

/** Returns the revision of the schedule in Temporal; 0 if it has none. */
async function revisionOf(handle: ScheduleHandle): Promise<number> {
  const { action } = await handle.describe()
  return z.object({ revision: z.number() }).safeParse(action.memo).data?.revision ?? 0
}

/** Creates the schedule; returns false if it exists. */
async function create(client: Client, { id, definition }: ScheduleState): Promise<boolean> {
  try {
    await client.schedule.create({ scheduleId: id, ...definition })
    return true
  } catch (error) {
    if (!(error instanceof ScheduleAlreadyRunning)) throw error
    return false
  }
}

/**
 * Returns the definition for Temporal; each firing starts the workflow on the task queue. The
 * revision is part of the action, so that a release without revisions overwrites it with the
 * action.
 */
function definitionOf({ id, type, args, cron, revision }: WorkflowSchedule, taskQueue: string) {
  return {
    spec: { cronExpressions: [cron] },
    action: {
      type: 'startWorkflow' as const,
      workflowType: type,
      workflowId: id,
      taskQueue,
      args,
      memo: { revision: revision ?? firstRevision },
    },
    policies: {
      overlap: ScheduleOverlapPolicy.BUFFER_ONE,
      catchupWindow: '1 hour' as const,
    },
  }
}

async function remove(client: Client, former: Set<string>, id: string): Promise<void> {
  try {
    await client.schedule.getHandle(id).delete()
  } catch (error) {
    if (!(error instanceof ScheduleNotFoundError)) throw error
  }
  former.delete(id)
}
