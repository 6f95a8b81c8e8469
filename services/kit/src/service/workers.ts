import { platform } from 'node:os'
import { setFlagsFromString } from 'node:v8'
import { Piscina } from 'piscina'
import { say } from '../reasons/reasons.ts'
import { unavailable } from '../rpc/errors.ts'
import { createSemaphore } from './semaphore.ts'

/** Worker threads for CPU-bound tasks, with a bounded queue. */
export interface Workers<Input, Output> extends AsyncDisposable {
  /**
   * Runs a task. Throws unavailable when the queue is full, or no thread is free within the wait
   * timeout. An aborted signal removes the task from the queue, or ends its thread.
   */
  run: (input: Input, signal?: AbortSignal) => Promise<Output>
  isFull: () => boolean
}

export interface WorkersOptions<Output> {
  /** Module whose exported `run(input)` executes a task. */
  module: URL
  /** Maximum number of concurrent tasks, one thread each. */
  threadsMax: number
  /** Time in ms after which an idle thread ends; 10 s by default. */
  idleTimeoutMs?: number
  /** Maximum number of waiting tasks, at least 1. */
  queueMax: number
  /** Maximum wait of a task for a thread, in ms. */
  waitTimeoutMs: number
  /** Time limit of a task in ms, including the start of its thread, which is ended at the limit. */
  taskTimeoutMs: number
  /** Maximum heap size of each thread, in MiB. */
  memoryMaxMb: number
  /**
   * Maximum size of the young generation of each thread in MiB; by default three semi-spaces of 32
   * MiB. A smaller one saves memory, and is enough if few objects survive.
   */
  youngMaxMb?: number
  /** Called when a task exceeds its time or memory; returns a substitute result, or throws. */
  exceeded: () => Output
}

/** Options that depend on the input of a task. */
export interface TaskOptions<Input> {
  /**
   * Whether the thread of a task ends with it, to free its heap: an idle thread would keep the
   * memory while the main thread needs memory for the result. Such tasks are long, so their threads
   * have a lower priority on Linux (where priorities are per thread): event loop and database run
   * first.
   */
  endsThread?: (input: Input) => boolean
}

const youngMaxMbDefault = 96

/** Nice value added for threads of long tasks, which gives them a ninth of the usual CPU weight. */
const niceIncrement = platform() === 'linux' ? 10 : 0

// Without this, Node's default size of semi-spaces would override `maxYoungGenerationSizeMb` in new
// threads. The main thread keeps its size.
setFlagsFromString('--max-semi-space-size=0')

/**
 * Creates a thread pool for a module; threads start on first use. Structured cloning copies input
 * and output. A semaphore bounds the queue, because Piscina (5.3) has no bound for tasks with a
 * signal, and starts no thread for queued tasks after a signal has ended one.
 */
export function startWorkers<Input, Output>(
  options: WorkersOptions<Output> & TaskOptions<Input>,
): Workers<Input, Output> {
  const pool = createPool(options, { idleTimeout: options.idleTimeoutMs ?? 10_000 })
  const ending = options.endsThread && createPool(options, { idleTimeout: 0, niceIncrement })
  const threads = createSemaphore(options.threadsMax)
  const tasks = new Set<AbortController>()
  const runTask = async (input: Input, stop: AbortSignal): Promise<Output> => {
    const timeout = AbortSignal.timeout(options.taskTimeoutMs)
    const of = (options.endsThread?.(input) && ending) || pool
    try {
      return await of.run(input, { signal: AbortSignal.any([stop, timeout]) })
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
      for (const task of tasks) task.abort(unavailable(say('PROCESS_STOPS')))
      await Promise.all([pool.destroy(), ending?.destroy()])
    },
  }
}

function createPool<Output>(
  options: WorkersOptions<Output>,
  of: { idleTimeout: number; niceIncrement?: number },
): Piscina {
  return new Piscina({
    filename: options.module.href,
    name: 'run',
    minThreads: 0,
    maxThreads: options.threadsMax,
    ...of,
    // Off, because its histograms are not read, and take 0.7 MiB per pool.
    recordTiming: false,
    resourceLimits: {
      maxOldGenerationSizeMb: options.memoryMaxMb,
      maxYoungGenerationSizeMb: options.youngMaxMb ?? youngMaxMbDefault,
    },
  })
}

function queueFull(): Error {
  return unavailable(say('WORKERS_FULL'))
}
