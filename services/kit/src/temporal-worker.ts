import { AsyncResource } from 'node:async_hooks'
import { Code, type ConnectError } from '@connectrpc/connect'
import { heartbeat } from '@temporalio/activity'
import { ApplicationFailure } from '@temporalio/common'
import { type ActivityInboundCallsInterceptor, NativeConnection, Worker } from '@temporalio/worker'
import { isTransient } from './errors.ts'
import { keepRunning } from './keep-running.ts'
import type { Log } from './log.ts'
import type { WorkerOptions } from './temporal.ts'
import { installTemporalRuntime } from './temporal-runtime.ts'
import { workflowBundle } from './workflow-bundle.ts'

const restartMs = 5_000

/** Opens the connection that the workers of a process share. */
export function connectWorkers(address: string, log: Log): Promise<NativeConnection> {
  installTemporalRuntime(log)
  return NativeConnection.connect({ address })
}

interface WorkerPlace {
  native: NativeConnection
  namespace: string
}

/** Polls a task queue until disposed; returns when the worker runs. */
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
  })
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
