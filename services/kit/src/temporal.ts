import { Client, Connection, WorkflowIdConflictPolicy } from '@temporalio/client'
import type { NativeConnection } from '@temporalio/worker'
import type { Log } from './log.ts'
import { keepSchedules } from './temporal-schedule.ts'

/** Connections to Temporal: one for starting workflows, one for the workers once there are any. */
export interface Workflows extends AsyncDisposable {
  client: Client
  /** Joins the workflow of that ID, or starts it; a second trigger is never lost. */
  start: (workflow: WorkflowStart) => Promise<void>
  /** Makes sure a schedule exists that starts the workflow every so often (UTC). */
  schedule: (schedule: WorkflowSchedule, log: Log) => Promise<void>
  /** Removes a schedule in the background, if there is one. */
  unschedule: (id: string, log: Log) => void
  /** Polls the service's task queue until disposed; returns when the worker runs. */
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

/** Signal sent with every start, so that a workflow that is about to end looks once more. */
const triggerSignal = 'trigger'

export interface TemporalOptions {
  address: string
  namespace: string
  /** Goes before every workflow ID and task queue, so that deployments can share a namespace. */
  prefix: string
  connectTimeoutMs?: number
}

/** Connects to Temporal; rejects where it does not answer in time. */
export async function connectTemporal(options: TemporalOptions): Promise<Workflows> {
  const { address, namespace, prefix, connectTimeoutMs: connectTimeout = 10_000 } = options
  const connection = await Connection.connect({ address, connectTimeout })
  const client = new Client({ connection, namespace })
  const schedules = keepSchedules(client)
  let native: Promise<NativeConnection> | undefined
  return {
    client,
    start: async ({ type, id, taskQueue, args }) => {
      await client.withDeadline(Date.now() + 5_000, () =>
        client.workflow.signalWithStart(type, {
          workflowId: `${prefix}/${id}`,
          taskQueue: `${prefix}/${taskQueue}`,
          args,
          signal: triggerSignal,
          signalArgs: [],
          workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
        }),
      )
    },
    schedule: (schedule, log) => {
      const id = `${prefix}/${schedule.id}`
      const taskQueue = `${prefix}/${schedule.taskQueue}`
      return schedules.ensure({ ...schedule, id, taskQueue, log })
    },
    unschedule: (id, log) => schedules.remove(`${prefix}/${id}`, log),
    work: async (worker) => {
      // A process without workers has no use for what they need.
      const { connectWorkers, startWorker } = await import('./temporal-worker.ts')
      native ??= connectWorkers(address, worker.log).catch((error) => {
        native = undefined
        throw error
      })
      const taskQueue = `${prefix}/${worker.taskQueue}`
      return startWorker({ native: await native, namespace, ...worker, taskQueue })
    },
    [Symbol.asyncDispose]: async () => {
      const given = schedules[Symbol.asyncDispose]()
      // A call under way ends with its connection.
      await connection.close()
      await given
      const opened = await native?.catch(() => undefined)
      await opened?.close()
    },
  }
}
