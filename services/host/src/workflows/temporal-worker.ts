import { AsyncResource } from 'node:async_hooks'
import { causedBy } from '@coffer/kit/rpc/cause'
import { isTransient } from '@coffer/kit/rpc/errors'
import type { Log } from '@coffer/kit/service/log'
import type { Activities } from '@coffer/kit/service/service'
import { traced } from '@coffer/kit/telemetry/trace'
import type { Cause } from '@coffer/kit/values/changed-object'
import { Code, ConnectError } from '@connectrpc/connect'
import { activityInfo, heartbeat } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import {
  type ActivityInboundCallsInterceptor,
  type InjectedSinks,
  Worker,
} from '@temporalio/worker'
import { keepRunning } from '../keep-running.ts'
import { countActivityFailures, countWorkflowFailures } from '../metrics.ts'
import type { NativeConnections } from './temporal-native.ts'
import { causesOf } from './temporal-trace.ts'
import { workflowBundle } from './workflow-bundle.ts'
import type { WorkflowSinks } from './workflow-interceptors.ts'

export interface WorkerOptions {
  taskQueue: string
  /** Workflow modules (`*.workflow.ts`); empty for a service that only has activities. */
  workflows: URL[]
  activities: Activities
  log: Log
}

const restartMs = 5_000

/** Connection to Temporal, and the namespace in which a worker polls. */
interface WorkerConnection {
  connections: NativeConnections
  namespace: string
}

/**
 * Runs a worker on a task queue until disposed. Resolves after the first attempt to create it, even
 * a failed one; tries again every 5 s.
 */
export async function startWorker(
  options: WorkerOptions & WorkerConnection,
): Promise<AsyncDisposable> {
  const { workflows, log, taskQueue } = options
  const code = workflows.length > 0 ? await workflowBundle(workflows) : undefined
  return keepRunning({
    create: async () => {
      const worker = await createWorker(options, code)
      const stop = () => {
        if (worker.getState() === 'RUNNING') worker.shutdown()
      }
      const run = async () => {
        using _renewal = options.connections.onRenewal((connection) => {
          worker.connection = connection
        })
        await worker.run()
      }
      return { run, stop }
    },
    restartMs,
    onFailure: (error) => log.error({ err: error, taskQueue }, 'worker failed, starting another'),
    onRecovery: () => log.info({ taskQueue }, 'worker runs again'),
  })
}

/**
 * Sticky execution: the worker that has a workflow in its cache gets its next task first. After
 * this time in ms (10 s by default) any worker takes the task, and replays the history. Short,
 * because tasks of a killed worker are delayed by it, and replaying our short histories is cheap.
 */
const stickyMs = 2_000

async function createWorker(
  { connections, namespace, taskQueue, activities }: WorkerOptions & WorkerConnection,
  workflowBundle: { code: string } | undefined,
): Promise<Worker> {
  return Worker.create({
    connection: await connections.connect(),
    namespace,
    taskQueue,
    activities,
    ...(workflowBundle ? { workflowBundle, sinks } : {}),
    maxConcurrentActivityTaskExecutions: 8,
    stickyQueueScheduleToStartTimeout: stickyMs,
    // Activities have this time to end; `stopping` of ServiceDeps tells them to.
    shutdownForceTime: '15 seconds',
    interceptors: {
      activity: [() => ({ inbound: { execute: runActivity } as ActivityInboundCallsInterceptor })],
    },
  })
}

/** Handlers of calls from workflows (workflow-interceptors.ts); not called during replays. */
const sinks: InjectedSinks<WorkflowSinks> = {
  metrics: {
    countFailure: {
      fn: (_info, type) => countWorkflowFailures(1, type),
      callDuringReplay: false,
    },
  },
}

const beatMs = 2_500

/**
 * Sends heartbeats while an activity runs, so that Temporal soon retries activities of a killed
 * process. Refusals fail the activity without a retry.
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
    const { activityType, workflowExecution } = activityInfo()
    const options = { kind: 'consumer' as const, ...causesOf(input.headers) }
    const run = () => causedBy(causeOf(workflowExecution?.workflowId), () => next(input))
    return await traced(`activity ${activityType}`, options, run)
  } catch (error) {
    const isFinal = error instanceof ConnectError && !isTransient(error)
    countActivityFailures(1, activityInfo().activityType, isFinal ? 'final' : 'repeated')
    if (!isFinal) throw error
    throw ApplicationFailure.nonRetryable(error.rawMessage, Code[error.code])
  } finally {
    clearInterval(timer)
  }
}

/** Returns the cause of changes by an activity: the object in its workflow's ID. */
function causeOf(workflowId = ''): Cause {
  const [, work = '', causeId = ''] = /\/workflows\/([^/]+)\/([^/]+)/.exec(workflowId) ?? []
  return { actor: work.endsWith('-sync') ? 'sync' : 'job', causeId }
}
