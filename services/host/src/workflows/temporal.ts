import { unavailable } from '@coffer/kit/rpc/errors'
import type { Log } from '@coffer/kit/service/log'
import { traced } from '@coffer/kit/telemetry/trace'
import type { WorkflowSchedule, Workflows } from '@coffer/kit/workflows/workflows'
import { status } from '@grpc/grpc-js'
import { Client, isGrpcServiceError, WorkflowIdConflictPolicy } from '@temporalio/client'
import { NamespaceNotFoundError } from '@temporalio/common'
import { createTemporalConnection } from './temporal-connection.ts'
import type { NativeConnections } from './temporal-native.ts'
import { keepSchedules } from './temporal-schedule.ts'
import type { TemporalServer } from './temporal-server.ts'
import { sendTrace } from './temporal-trace.ts'
import type { WorkerOptions } from './temporal-worker.ts'

/** Temporal for the services of a process: starts workflows, keeps schedules, runs workers. */
export interface Temporal extends Workflows, AsyncDisposable {
  client: Client
  /** Creates or updates, in the background, a schedule that starts the workflow. */
  schedule: (schedule: WorkflowSchedule) => void
  unschedule: (id: string) => void
  /** Whether Temporal did not answer the last check of the schedules. */
  isAway: () => boolean
  /**
   * Runs a worker on a task queue until disposed. Resolves after the first attempt to create it,
   * even a failed one; further attempts run in the background.
   */
  work: (options: WorkerOptions) => Promise<AsyncDisposable>
}

/** Signal sent with every start, so that a running workflow checks for work before it completes. */
const triggerSignal = 'trigger'

/**
 * Name of the task queue of all workflows. A workflow worker is a thread with its own copy of the
 * workflow code, so every process runs only one, for the workflows of all services.
 */
export const workflowQueue = 'workflows'

export interface TemporalOptions extends TemporalServer {
  namespace: string
  /** Prefix of workflow IDs and task queues, so that deployments can share a Temporal namespace. */
  prefix: string
  log: Log
  /** Interval in ms at which schedules are checked; 15 s by default. */
  scheduleCheckMs?: number
  /**
   * Delay in ms of the first trigger of schedules that a starting process creates; 10 s by default.
   */
  newScheduleMs?: number
}

/**
 * Returns Temporal's client, workers and schedules; connects on first use and reconnects. The
 * process starts and runs even if Temporal is down.
 */
export function connectTemporal(options: TemporalOptions): Temporal {
  const { namespace, prefix, log, scheduleCheckMs: checkMs = 15_000 } = options
  const { newScheduleMs: newMs = 10_000 } = options
  const queue = `${prefix}/${workflowQueue}`
  const opened = createTemporalConnection(options)
  const interceptors = { workflow: [sendTrace] }
  const client = new Client({ connection: opened.connection, namespace, interceptors })
  const schedules = keepSchedules(client, { log, checkMs, newMs, taskQueue: queue })
  let connections: NativeConnections | undefined
  return {
    client,
    start: async ({ type, id, args }) => {
      const starting = traced(`start ${type}`, { kind: 'producer' }, () =>
        client.withDeadline(Date.now() + 5_000, () =>
          client.workflow.signalWithStart(type, {
            workflowId: `${queue}/${id}`,
            taskQueue: queue,
            args,
            signal: triggerSignal,
            signalArgs: [],
            workflowIdConflictPolicy: WorkflowIdConflictPolicy.USE_EXISTING,
          }),
        ),
      )
      await starting.catch((error) => {
        throw isRefused(error) ? error : unavailable('Temporal does not answer')
      })
    },
    schedule: (schedule) => {
      // until 0.4: deletes the schedule of 0.2.0, whose ID does not contain the task queue.
      schedules.remove(`${prefix}/${schedule.id}`)
      schedules.ensure({ ...schedule, id: `${queue}/${schedule.id}` })
    },
    unschedule: (id) => schedules.remove(`${queue}/${id}`),
    isAway: schedules.isAway,
    work: async (worker) => {
      // Imported on demand: the native core is large, and only processes with workers need it.
      const { shareConnection } = await import('./temporal-native.ts')
      const { startWorker } = await import('./temporal-worker.ts')
      connections ??= shareConnection(options, log)
      const taskQueue = `${prefix}/${worker.taskQueue}`
      return startWorker({ connections, namespace, ...worker, taskQueue })
    },
    [Symbol.asyncDispose]: async () => {
      const schedulesEnded = schedules[Symbol.asyncDispose]()
      // Closes the connection first, which cancels the calls that disposing the schedules waits
      // for.
      await opened[Symbol.asyncDispose]()
      await schedulesEnded
      await connections?.[Symbol.asyncDispose]()
    },
  }
}

/** Returns whether Temporal refused a request as invalid. Other errors of Temporal are outages. */
function isRefused(error: unknown): boolean {
  const { cause } = error as { cause?: unknown }
  if (error instanceof NamespaceNotFoundError) return false
  return !isGrpcServiceError(cause) || cause.code === status.INVALID_ARGUMENT
}
