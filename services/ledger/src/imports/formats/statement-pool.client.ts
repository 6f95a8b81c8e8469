import { startWorkers } from '@coffer/kit/service/workers'
import type { FileStatement, Unreadable } from './statement.ts'
import type { ReadingTask } from './statement-file.ts'

/** Worker threads that parse files; a process reads one file of an account at a time. */
export interface Readers extends AsyncDisposable {
  /**
   * Returns the content of a file, or why it is unreadable. Returns `busy` while another file of
   * the account is read. Throws `unavailable` if no thread is free within 30 seconds.
   */
  read: (
    accountId: string,
    load: () => Promise<ReadingTask | Unreadable>,
  ) => Promise<FileStatement | Unreadable | 'busy'>
}

/** Starts the worker threads. The largest file takes a few seconds, far below `taskTimeoutMs`. */
export function startReaders({
  module = new URL('./statement.worker.ts', import.meta.url),
  taskTimeoutMs = 30_000,
} = {}): Readers {
  const threads = startWorkers<ReadingTask, FileStatement | Unreadable>({
    module,
    threadsMax: 2,
    queueMax: 20,
    waitTimeoutMs: 30_000,
    taskTimeoutMs,
    memoryMaxMb: 512,
    exceeded: () => ({
      unreadable: 'The file takes too much time or memory to read: export a shorter period',
    }),
  })
  const reading = new Set<string>()
  return {
    read: async (accountId, load) => {
      if (reading.has(accountId)) return 'busy'
      reading.add(accountId)
      try {
        const task = await load()
        return 'unreadable' in task ? task : await threads.run(task)
      } finally {
        reading.delete(accountId)
      }
    },
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
