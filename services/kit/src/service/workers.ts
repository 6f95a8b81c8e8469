import { Piscina } from 'piscina'
import { unavailable } from '../rpc/errors.ts'
import { createSemaphore } from './semaphore.ts'

/** Worker threads for CPU-bound work, behind a bounded queue. */
export interface Workers<Input, Output> extends AsyncDisposable {
  /**
   * Runs a task. Throws unavailable when the queue is full or no thread is free in time. Aborting
   * the signal removes the task from the queue, or ends its thread.
   */
  run: (input: Input, signal?: AbortSignal) => Promise<Output>
  /** Whether the queue is full. */
  isFull: () => boolean
}

/** Bounds of a thread pool. */
export interface WorkersOptions<Output> {
  /** Module that exports `run(input)`. */
  module: URL
  /** Threads that are kept alive without work; 0 unless set. */
  threadsMin?: number
  /** Maximum number of concurrent tasks, each on a thread of its own. */
  threadsMax: number
  /** Maximum number of waiting tasks, at least 1. */
  queueMax: number
  /** Maximum wait of a task for a thread, in ms. */
  waitTimeoutMs: number
  /** Time limit of a task in ms, including the start of its thread; then the thread is ended. */
  taskTimeoutMs: number
  /** Maximum heap size of each thread, in MiB. */
  memoryMaxMb: number
  /** Returns the result of a task that exceeded its time or memory; may throw. */
  exceeded: () => Output
}

/**
 * Creates a thread pool for a module; input and output are cloned between threads.
 *
 * A limiter in front of Piscina bounds the queue. Piscina (5.3) does not bound its own queue for
 * tasks with a signal. It also starts no thread for queued tasks after a signal has ended a thread.
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
  const threads = createSemaphore(options.threadsMax)
  const tasks = new Set<AbortController>()
  const runTask = async (input: Input, stop: AbortSignal): Promise<Output> => {
    const timeout = AbortSignal.timeout(options.taskTimeoutMs)
    try {
      return await pool.run(input, { signal: AbortSignal.any([stop, timeout]) })
    } catch (error) {
      if (stop.aborted) throw stop.reason
      const isOutOfMemory = Object(error).code === 'ERR_WORKER_OUT_OF_MEMORY'
      if (timeout.aborted || isOutOfMemory) return options.exceeded()
      throw error
    }
  }
  const isFull = () => threads.waiting() >= options.queueMax
  return {
    isFull,
    run: async (input, signal) => {
      if (isFull()) throw queueFull()
      const task = new AbortController()
      const stop = signal ? AbortSignal.any([signal, task.signal]) : task.signal
      tasks.add(task)
      try {
        if (!(await threads.acquire(options.waitTimeoutMs, stop))) throw queueFull()
        return await runTask(input, stop).finally(threads.release)
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

function queueFull(): Error {
  return unavailable('too much of this work is waiting')
}
