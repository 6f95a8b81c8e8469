import { Piscina } from 'piscina'
import { unavailable } from '../rpc/errors.ts'
import { createSlots } from './slots.ts'

/** Worker threads for what would block the event loop, behind a bounded queue. */
export interface Workers<Input, Output> extends AsyncDisposable {
  /**
   * Throws unavailable at once when the queue is full, or later when no thread is free in time. A
   * signal that is aborted takes the task out of the queue, or ends its thread.
   */
  run: (input: Input, signal?: AbortSignal) => Promise<Output>
  /** Whether one more task would be refused at once. */
  isFull: () => boolean
}

/** Bounds of a pool of worker threads. */
export interface WorkersOptions<Output> {
  /** Exports `run(input)`. */
  module: URL
  /** Kept alive without work; none unless set. */
  threadsMin?: number
  /** Tasks at a time, each on a thread of its own. */
  threadsMax: number
  /** Tasks that may wait for a thread, at least 1. */
  queueMax: number
  /** How long a task waits for a thread. */
  waitTimeoutMs: number
  /** How long a task runs, with the start of a thread, before its thread is ended. */
  taskTimeoutMs: number
  /** Of each thread. */
  memoryMaxMb: number
  /** Result of a task that exceeds its time or its memory; or throws. */
  exceeded: () => Output
}

/**
 * Starts threads over a module; input and output are cloned between threads.
 *
 * The queue is a limiter in front of Piscina. Piscina (5.3) does not bound its own queue for
 * tasks with an abort signal, and starts no thread for queued tasks after a signal ended one.
 */
export function startWorkers<Input, Output>(
  options: WorkersOptions<Output>,
): Workers<Input, Output> {
  const pool = new Piscina({
    filename: options.module.href,
    name: 'run',
    minThreads: options.threadsMin ?? 0,
    maxThreads: options.threadsMax,
    idleTimeout: 10_000,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMaxMb },
  })
  const threads = createSlots(options.threadsMax)
  const tasks = new Set<Task>()
  const runTask = async (input: Input, { signal, within }: Task): Promise<Output> => {
    try {
      const limit = { timeoutMs: options.taskTimeoutMs, reason: () => tookTooLong }
      return await within(limit, () => pool.run(input, { signal }))
    } catch (error) {
      const { aborted, reason } = signal
      if (reason === tookTooLong || isOutOfMemory(error)) return options.exceeded()
      throw aborted ? reason : error
    }
  }
  const isFull = () => threads.waiting() >= options.queueMax
  return {
    isFull,
    run: async (input, signal) => {
      if (isFull()) throw tooMuchWaits()
      using task = startTask(signal)
      tasks.add(task)
      try {
        const limit = { timeoutMs: options.waitTimeoutMs, reason: tooMuchWaits }
        await task.within(limit, () => threads.take(task.signal))
        return await runTask(input, task).finally(threads.free)
      } finally {
        tasks.delete(task)
      }
    },
    [Symbol.asyncDispose]: async () => {
      for (const task of tasks) task.abort(unavailable('the process is stopping'))
      await pool.destroy()
    },
  }
}

const tookTooLong = Symbol('a task took too long')

/** Abort signal of one task, with a time limit for each of its steps. */
interface Task extends Disposable {
  signal: AbortSignal
  abort: (reason: unknown) => void
  /** Aborts the task, with the reason that is made then, where the work takes longer. */
  within: <Result>(
    limit: { timeoutMs: number; reason: () => unknown },
    work: () => Promise<Result>,
  ) => Promise<Result>
}

/** Until disposed, the task is aborted together with its caller's signal. */
function startTask(caller: AbortSignal | undefined): Task {
  const controller = new AbortController()
  const abort = (reason: unknown): void => controller.abort(reason)
  const leave = (): void => abort(caller?.reason)
  if (caller?.aborted) leave()
  caller?.addEventListener('abort', leave, { once: true })
  return {
    signal: controller.signal,
    abort,
    within: async ({ timeoutMs, reason }, work) => {
      const timer = setTimeout(() => abort(reason()), timeoutMs)
      try {
        return await work()
      } finally {
        clearTimeout(timer)
      }
    },
    [Symbol.dispose]: () => caller?.removeEventListener('abort', leave),
  }
}

function tooMuchWaits(): Error {
  return unavailable('too much of this work is waiting')
}

function isOutOfMemory(error: unknown): boolean {
  return Object(error).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
