import { Client, isGrpcServiceError, WorkflowIdConflictPolicy } from '@temporalio/client'
import { NamespaceNotFoundError } from '@temporalio/common'
import type { NativeConnection } from '@temporalio/worker'
import { unavailable } from '../rpc/errors.ts'
import type { Log } from '../service/log.ts'
import { createTemporalConnection } from './temporal-connection.ts'
import { keepSchedules } from './temporal-schedule.ts'

/** Connections to Temporal: one for starting workflows, one for the workers once there are any. */
export interface Workflows extends AsyncDisposable {
  client: Client
  /** Joins the workflow of that ID, or starts it; a second trigger is never lost. */
  start: (workflow: WorkflowStart) => Promise<void>
  /** Keeps a schedule that starts the workflow every so often (UTC), in the background. */
  schedule: (schedule: WorkflowSchedule) => void
  /** Removes a schedule in the background, if there is one. */
  unschedule: (id: string) => void
  /**
   * Polls the service's task queue until disposed. Returns when the worker runs, or after the first
   * attempt at one: a Temporal that is away is waited for in the background.
   */
  work: (options: WorkerOptions) => Promise<AsyncDisposable>
}

export interface WorkflowStart {
  /** Name of the exported workflow function. */
  type: string
  /** The natural key: starting twice is joining. */
  id: string
  taskQueue: string
  /** IDs, cursors and counts only: no money, no dates, no pages of rows. */
  args: unknown[]
}

export interface WorkflowSchedule extends WorkflowStart {
  /** Five-field cron text, in UTC. */
  cron: string
}

export interface WorkerOptions {
  taskQueue: string
  /** Workflow modules (`*.workflow.ts`); none where the service offers activities alone. */
  workflows: URL[]
  // biome-ignore lint/suspicious/noExplicitAny: activities differ in their arguments
  activities: Record<string, (...args: any[]) => Promise<unknown>>
  log: Log
}

// INVALID_ARGUMENT of gRPC.
const invalidArgument = 3

/** Signal sent with every start, so that a workflow that is about to end looks once more. */
const triggerSignal = 'trigger'

export interface TemporalOptions {
  address: string
  namespace: string
  /** Goes before every workflow ID and task queue, so that deployments can share a namespace. */
  prefix: string
  log: Log
  /** How often schedules are looked for, in ms. */
  scheduleCheckMs?: number
}

/**
 * Connects to Temporal at the first use, and again whenever the connection is lost: a process
 * starts and runs while Temporal is away. Then `start` throws unavailable.
 */
export function connectTemporal(options: TemporalOptions): Workflows {
  const { address, namespace, prefix, log, scheduleCheckMs: checkMs } = options
  const opened = createTemporalConnection(address)
  const client = new Client({ connection: opened.connection, namespace })
  const schedules = keepSchedules(client, { log, ...(checkMs === undefined ? {} : { checkMs }) })
  let native: Promise<NativeConnection> | undefined
  return {
    client,
    start: async ({ type, id, taskQueue, args }) => {
      const starting = client.withDeadline(Date.now() + 5_000, () =>
        client.workflow.signalWithStart(type, {
          workflowId: `${prefix}/${id}`,
          taskQueue: `${prefix}/${taskQueue}`,
          args,
          signal: triggerSignal,
          signalArgs: [],
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        }),
      )
      await starting.catch((error) => {
        throw isRefused(error) ? error : unavailable('Temporal does not answer')
      })
    },
    schedule: (schedule) => {
      const id = `${prefix}/${schedule.id}`
      const taskQueue = `${prefix}/${schedule.taskQueue}`
      schedules.ensure({ ...schedule, id, taskQueue })
    },
    unschedule: (id) => schedules.remove(`${prefix}/${id}`),
    work: async (worker) => {
      // A process without workers has no use for what they need.
      const { connectWorkers, startWorker } = await import('./temporal-worker.ts')
      const connect = () => {
        native ??= connectWorkers(address, log).catch((error) => {
          native = undefined
          throw error
        })
        return native
      }
      const taskQueue = `${prefix}/${worker.taskQueue}`
      return startWorker({ connect, namespace, ...worker, taskQueue })
    },
    [Symbol.asyncDispose]: async () => {
      const given = schedules[Symbol.asyncDispose]()
      // Cancels the schedule calls that `given` waits for.
      await opened[Symbol.asyncDispose]()
      await given
      const ofWorkers = await native?.catch(() => undefined)
      await ofWorkers?.close()
    },
  }
}

/** Whether Temporal has answered that the request itself is wrong: no outage, which goes by. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  if (error instanceof NamespaceNotFoundError) return false
  return !isGrpcServiceError(cause) || cause.code === invalidArgument
}
