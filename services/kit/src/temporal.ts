import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, type ConnectError } from '@connectrpc/connect'
import { heartbeat } from '@temporalio/activity'
import { Client, Connection, WorkflowIdConflictPolicy } from '@temporalio/client'
import { ApplicationFailure } from '@temporalio/common'
import { type ActivityInboundCallsInterceptor, NativeConnection, Worker } from '@temporalio/worker'
import { isTransient } from './errors.ts'
import type { Log } from './log.ts'
import { keepSchedules } from './temporal-schedule.ts'
import { workflowBundle } from './workflow-bundle.ts'

/** Connections to Temporal: one for starting workflows, one for the workers. */
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

const restartMs = 5_000

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
  await using opening = new AsyncDisposableStack()
  const connection = await Connection.connect({ address, connectTimeout })
  opening.defer(() => connection.close())
  const native = await NativeConnection.connect({ address })
  opening.move()
  const client = new Client({ connection, namespace })
  const schedules = keepSchedules(client)
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
    work: (worker) =>
      startWorker({ native, namespace, ...worker, taskQueue: `${prefix}/${worker.taskQueue}` }),
    [Symbol.asyncDispose]: async () => {
      const given = schedules[Symbol.asyncDispose]()
      // A call under way ends with its connection.
      await connection.close()
      await given
      await native.close()
    },
  }
}

interface WorkerPlace {
  native: NativeConnection
  namespace: string
}

async function startWorker(options: WorkerOptions & WorkerPlace): Promise<AsyncDisposable> {
  const { workflows, log, taskQueue } = options
  const code = workflows.length > 0 ? await workflowBundle(workflows) : undefined
  const stopping = new AbortController()
  let worker: Worker | undefined = await createWorker(options, code)
  const run = async (): Promise<void> => {
    while (!stopping.signal.aborted) {
      try {
        worker ??= await createWorker(options, code)
        await worker.run()
      } catch (error) {
        log.error({ err: error, taskQueue }, 'worker failed, starting another')
        await sleep(restartMs, undefined, { signal: stopping.signal }).catch(() => undefined)
      }
      worker = undefined
    }
  }
  const running = run()
  return {
    [Symbol.asyncDispose]: async () => {
      stopping.abort()
      if (worker?.getState() === 'RUNNING') worker.shutdown()
      await running
    },
  }
}

function createWorker(
  { native, namespace, taskQueue, activities }: WorkerOptions & WorkerPlace,
  workflowBundle: { code: string } | undefined,
): Promise<Worker> {
  return Worker.create({
    connection: native,
    namespace,
    taskQueue,
    activities,
    ...(workflowBundle ? { workflowBundle } : {}),
    maxConcurrentActivityTaskExecutions: 8,
    shutdownGraceTime: '10 seconds',
    shutdownForceTime: '15 seconds',
    interceptors: {
      activity: [() => ({ inbound: { execute: runActivity } as ActivityInboundCallsInterceptor })],
    },
  })
}

const beatMs = 2_500

/**
 * Beats while an activity runs, so that Temporal gives it to another worker soon after a process is
 * killed; and ends at once what failed with an error that a retry cannot mend.
 */
const runActivity: NonNullable<ActivityInboundCallsInterceptor['execute']> = async (
  input,
  next,
) => {
  const timer = setInterval(
    AsyncResource.bind(() => heartbeat()),
    beatMs,
  )
  try {
    return await next(input)
  } catch (error) {
    if (isTransient(error)) throw error
    const { code, rawMessage } = error as ConnectError
    throw ApplicationFailure.nonRetryable(rawMessage, Code[code])
  } finally {
    clearInterval(timer)
  }
}
