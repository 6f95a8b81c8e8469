import { AsyncResource } from 'node:async_hooks'
import { setTimeout as sleep } from 'node:timers/promises'
import { Code, type ConnectError } from '@connectrpc/connect'
import { heartbeat } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { type ActivityInboundCallsInterceptor, NativeConnection, Worker } from '@temporalio/worker'
import { isTransient, unavailable } from '../rpc/errors.ts'
import { keepRunning } from '../service/keep-running.ts'
import type { Log } from '../service/log.ts'
import type { WorkerOptions } from './temporal.ts'
import { installTemporalRuntime } from './temporal-runtime.ts'
import { workflowBundle } from './workflow-bundle.ts'

const restartMs = 5_000

const connectMs = 10_000

/**
 * Opens the connection that the workers of a process share; rejects where Temporal does not answer
 * within ten seconds. The native core would wait for a silent server without end.
 */
export async function connectWorkers(address: string, log: Log): Promise<NativeConnection> {
  installTemporalRuntime(log)
  const settled = new AbortController()
  const connecting = NativeConnection.connect({ address })
  const late = sleep(connectMs, undefined, { signal: settled.signal }).then(() => {
    connecting.then(
      (connection) => connection.close(),
      () => undefined,
    )
    throw unavailable('Temporal does not answer')
  })
  try {
    return await Promise.race([connecting, late])
  } finally {
    settled.abort()
    late.catch(() => undefined)
  }
}

interface WorkerPlace {
  /** The shared connection, opened where it is not. */
  connect: () => Promise<NativeConnection>
  namespace: string
}

/** Polls a task queue until disposed; returns after the first attempt at a worker. */
export async function startWorker(options: WorkerOptions & WorkerPlace): Promise<AsyncDisposable> {
  const { workflows, log, taskQueue } = options
  const code = workflows.length > 0 ? await workflowBundle(workflows) : undefined
  return keepRunning({
    make: async () => {
      const worker = await createWorker(options, code)
      const stop = () => {
        if (worker.getState() === 'RUNNING') worker.shutdown()
      }
      return { run: () => worker.run(), stop }
    },
    restartMs,
    onBroken: (error) => log.error({ err: error, taskQueue }, 'worker failed, starting another'),
    onMended: () => log.info({ taskQueue }, 'worker runs again'),
  })
}

async function createWorker(
  { connect, namespace, taskQueue, activities }: WorkerOptions & WorkerPlace,
  workflowBundle: { code: string } | undefined,
): Promise<Worker> {
  return Worker.create({
    connection: await connect(),
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
