import { Piscina } from 'piscina'
import { unavailable } from '../rpc/errors.ts'
import { createSemaphore } from './semaphore.ts'

/** Worker threads for CPU-bound work, behind a bounded queue. */
export interface Workers<Input, Output> extends AsyncDisposable {
  /**
   * Runs a task. Throws unavailable when the queue is full, or no thread is free in time. An
   * aborted signal removes the task from the queue, or ends its thread.
   */
  run: (input: Input, signal?: AbortSignal) => Promise<Output>
  /** Whether the queue is full. */
  isFull: () => boolean
}

/** Bounds of a thread pool. */
export interface WorkersOptions<Output> {
  /** Module that exports `run(input)`. */
  module: URL
  /** Threads that stay alive without work; 0 unless set. */
  threadsMin?: number
  /** Concurrent tasks, each on a thread of its own. */
  threadsMax: number
  /** Waiting tasks, at least 1. */
  queueMax: number
  /** Time in ms that a task waits for a thread. */
  waitTimeoutMs: number
  /** Time in ms that a task runs, including the start of its thread; then the thread is ended. */
  taskTimeoutMs: number
  /** Heap size of each thread. */
  memoryMaxMb: number
  /** Result of a task that exceeds its time or memory; may throw. */
  exceeded: () => Output
}

/**
 * Creates a thread pool for a module; input and output are cloned between threads.
 *
 * A limiter in front of Piscina bounds the queue. Piscina (5.3) does not bound its own queue for
 * tasks with a signal. It also starts no thread for queued tasks after a signal has ended one.
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
      if (isFull()) throw queueFull()
      using task = startTask(signal)
      tasks.add(task)
      try {
        const limit = { timeoutMs: options.waitTimeoutMs, reason: queueFull }
        await task.within(limit, () => threads.acquire(task.signal))
        return await runTask(input, task).finally(threads.release)
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

/** Abort signal of one task, with a timeout for each of its steps. */
interface Task extends Disposable {
  signal: AbortSignal
  abort: (reason: unknown) => void
  /** Aborts the task with `reason()` when the step takes longer than its timeout. */
  within: <Result>(
    limit: { timeoutMs: number; reason: () => unknown },
    work: () => Promise<Result>,
  ) => Promise<Result>
}

/** The task aborts with its caller's signal, until disposed. */
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

function queueFull(): Error {
  return unavailable('too much of this work is waiting')
}

function isOutOfMemory(error: unknown): boolean {
  return Object(error).code === 'ERR_WORKER_OUT_OF_MEMORY'
}
