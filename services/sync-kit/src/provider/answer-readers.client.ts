import { startWorkers } from '@coffer/kit/service/workers'

/** The content of an answer; null if it is not as expected, `too-large` beyond a bound. */
export type Read<Content> = Content | null | 'too-large'

/** Bodies above this size take more than a few milliseconds to parse. */
const inlineSizeMax = 64 * 1024

/**
 * Starts the worker thread that parses large answers: `module` exports `run`, which is `read`.
 * Small answers are parsed on the event loop. The returned `read` throws unavailable if the thread
 * is not free within 30 seconds, and returns `too-large` also beyond the thread's limits of time
 * and memory. 50,000 transactions take about a second, far below `taskTimeoutMs`.
 */
export function startReaders<Task extends { body: Uint8Array }, Content>({
  module,
  read,
  taskTimeoutMs = 10_000,
}: {
  module: URL
  read: (task: Task) => Read<Content>
  taskTimeoutMs?: number
}): AsyncDisposable & { read: (task: Task, signal: AbortSignal) => Promise<Read<Content>> } {
  const threads = startWorkers<Task, Read<Content>>({
    module,
    threadsMax: 1,
    queueMax: 20,
    waitTimeoutMs: 30_000,
    taskTimeoutMs,
    memoryMaxMb: 256,
    exceeded: () => 'too-large',
  })
  return {
    read: async (task, signal) =>
      task.body.length <= inlineSizeMax ? read(task) : threads.run(task, signal),
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
