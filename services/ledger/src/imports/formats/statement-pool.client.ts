import { startWorkers } from '@coffer/kit/service/workers'
import type { SheetTask } from './sheets/sheet.ts'
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
  /** Returns a sheet as CSV, or why it is unreadable; else as `read`. */
  convert: (
    accountId: string,
    load: () => Promise<Uint8Array>,
  ) => Promise<Uint8Array | Unreadable | 'busy'>
}

/** Starts the worker threads. The largest file takes a few seconds, far below `taskTimeoutMs`. */
export function startReaders({
  module = new URL('./statement.worker.ts', import.meta.url),
  taskTimeoutMs = 30_000,
} = {}): Readers {
  const threads = startWorkers<ReadingTask | SheetTask, FileStatement | Uint8Array | Unreadable>({
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
  const alone = async <Result>(accountId: string, run: () => Promise<Result>) => {
    if (reading.has(accountId)) return 'busy'
    reading.add(accountId)
    return run().finally(() => reading.delete(accountId))
  }
  return {
    read: (accountId, load) =>
      alone(accountId, async () => {
        const task = await load()
        if ('unreadable' in task) return task
        return (await threads.run(task)) as FileStatement | Unreadable
      }),
    convert: (accountId, load) =>
      alone(accountId, async () => {
        const sheet = await load()
        return (await threads.run({ sheet })) as Uint8Array | Unreadable
      }),
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}
