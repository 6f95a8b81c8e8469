import { AsyncResource } from 'node:async_hooks'
import { isTransient, unavailable } from '@coffer/kit/rpc/errors'
import type { Log } from '@coffer/kit/service/log'
import type { Activities } from '@coffer/kit/service/service'
import { Code, type ConnectError } from '@connectrpc/connect'
import { heartbeat } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import {
  type ActivityInboundCallsInterceptor,
  DefaultLogger,
  type LogLevel,
  NativeConnection,
  Runtime,
  Worker,
} from '@temporalio/worker'
import { LRUCache } from 'lru-cache'
import { keepRunning } from '../keep-running.ts'
import { workflowBundle } from './workflow-bundle.ts'

export interface WorkerOptions {
  taskQueue: string
  /** Workflow modules (`*.workflow.ts`); empty for a service that only has activities. */
  workflows: URL[]
  activities: Activities
  log: Log
}

const restartMs = 5_000

const connectMs = 5_000

/**
 * Opens the connection that all workers of a process share. Throws unavailable after 5 s without
 * an answer, because Temporal's native core has no timeout.
 */
export async function connectWorkers(address: string, log: Log): Promise<NativeConnection> {
  installRuntime(log)
  const connecting = NativeConnection.connect({ address })
  const late = Promise.withResolvers<never>()
  const timer = setTimeout(() => {
    late.reject(unavailable('Temporal does not answer'))
    connecting.then(
      (connection) => connection.close(),
      () => undefined,
    )
  }, connectMs)
  return Promise.race([connecting, late.promise]).finally(() => clearTimeout(timer))
}

/**
 * Time in ms in which a repeated warning is logged at debug: during an outage, each poller of
 * Temporal's native core warns several times a minute.
 */
const repeatedMs = 60_000

/**
 * Configures Temporal's library, once per process, before the first worker connects: sends its log
 * lines to `log`, and leaves stop signals to the host, which drains the workers.
 */
function installRuntime(log: Log): void {
  const logged = new LRUCache<string, true>({ max: 1_000, ttl: repeatedMs })
  const logger = new DefaultLogger('TRACE', ({ level, message, meta = {} }) => {
    const source = String(meta.target ?? '')
    const isRepeated = source !== '' && logged.has(source)
    if (source !== '' && !isRepeated) logged.set(source, true)
    // Workers log routine messages: starting, idle, no workflows.
    const isQuiet = isRepeated || meta.sdkComponent === 'worker'
    const isDebug = isQuiet && (level === 'INFO' || level === 'WARN')
    log[isDebug ? 'debug' : (level.toLowerCase() as Lowercase<LogLevel>)]({ ...meta }, message)
  })
  try {
    Runtime.install({
      logger,
      shutdownSignals: [],
      // Without forwarding, the native core writes coloured text to the console.
      telemetryOptions: { logging: { filter: { core: 'WARN', other: 'ERROR' }, forward: {} } },
    })
  } catch {
    // Already installed: a process has only one runtime.
  }
}

/** Connection to Temporal, and the namespace in which a worker polls. */
interface WorkerConnection {
  /** Returns the connection that all workers share, opened on first use. */
  connect: () => Promise<NativeConnection>
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
      return { run: () => worker.run(), stop }
    },
    restartMs,
    onFailure: (error) => log.error({ err: error, taskQueue }, 'worker failed, starting another'),
    onRecovery: () => log.info({ taskQueue }, 'worker runs again'),
  })
}

/**
 * Sticky execution: the worker that has a workflow in its cache gets the next task first. After
 * this time in ms (10 s by default) any worker takes it, and replays the history. Short, because
 * tasks of a killed worker wait for it; our histories are short, so a needless replay is cheap.
 */
const stickyMs = 2_000

async function createWorker(
  { connect, namespace, taskQueue, activities }: WorkerOptions & WorkerConnection,
  workflowBundle: { code: string } | undefined,
): Promise<Worker> {
  return Worker.create({
    connection: await connect(),
    namespace,
    taskQueue,
    activities,
    ...(workflowBundle ? { workflowBundle } : {}),
    maxConcurrentActivityTaskExecutions: 8,
    stickyQueueScheduleToStartTimeout: stickyMs,
    shutdownGraceTime: '10 seconds',
    shutdownForceTime: '15 seconds',
    interceptors: {
      activity: [() => ({ inbound: { execute: runActivity } as ActivityInboundCallsInterceptor })],
    },
  })
}

const beatMs = 2_500

/**
 * Sends heartbeats while an activity runs, so that Temporal soon retries activities of a killed
 * process. Errors that are not transient fail the activity without a retry.
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
