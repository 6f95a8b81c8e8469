import { Piscina } from 'piscina'
import { unavailable } from './errors.ts'

/** Worker threads for what would block the event loop, behind a bounded queue. */
export interface Workers<Input, Output> extends AsyncDisposable {
  /** Throws unavailable at once when the queue is full. */
  run: (input: Input, signal?: AbortSignal) => Promise<Output>
}

/**
 * Starts threads over a module that exports `run(input)`. Input and output are cloned between
 * threads; `threadsMax` bounds the work at a time, `queueMax` what may wait for it.
 */
export function startWorkers<Input, Output>(options: {
  module: URL
  /** Kept alive without work; none unless set. */
  threadsMin?: number
  threadsMax: number
  queueMax: number
  memoryMaxMb: number
}): Workers<Input, Output> {
  const pool = new Piscina({
    filename: options.module.href,
    name: 'run',
    minThreads: options.threadsMin ?? 0,
    maxThreads: options.threadsMax,
    maxQueue: options.queueMax,
    idleTimeout: 10_000,
    resourceLimits: { maxOldGenerationSizeMb: options.memoryMaxMb },
  })
  return {
    run: async (input, signal) => {
      try {
        return await pool.run(input, signal ? { signal } : {})
      } catch (error) {
        if (!isFull(error)) throw error
        throw unavailable('too much of this work is waiting')
      }
    },
    [Symbol.asyncDispose]: () => pool.close(),
  }
}

/** The pool gives its refusal no code, only these words. */
function isFull(error: unknown): boolean {
  return error instanceof Error && error.message === 'Task queue is at limit'
}
