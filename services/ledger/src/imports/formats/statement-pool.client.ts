import { say } from '@coffer/kit/reasons/reasons'
import { startWorkers } from '@coffer/kit/service/workers'
import { Pages } from './rows/pages.ts'
import type { ConvertedSheet, SheetTask } from './sheets/sheet.ts'
import type { FileRow, ListedStatement, ReceivedStatement, Unreadable } from './statement.ts'
import type {
  FileResult,
  FileTask,
  ListingTask,
  ReadFile,
  ReadingTask,
  SeveralTask,
} from './statement-file.ts'

/** Worker threads that parse files; a process reads one file of an account at a time. */
export interface Readers extends AsyncDisposable {
  /**
   * Returns the content of a file, or `Unreadable`. Returns `busy` while another file of the
   * account is read. Throws `unavailable` if no thread is free within 30 seconds.
   */
  read: (
    accountId: string,
    load: () => Promise<ReadingTask | Unreadable>,
  ) => Promise<ReceivedStatement | Unreadable | 'busy'>
  /** Returns the accounts of a file, or `Unreadable`; waits while another file is read. */
  list: (
    accountId: string,
    list: ListingTask['list'],
  ) => Promise<{ statements: ListedStatement[] } | Unreadable>
  /** Returns the contents of several accounts of a file; waits as `list` does. */
  readAll: (
    accountId: string,
    several: SeveralTask['several'],
  ) => Promise<(ReceivedStatement | Unreadable)[] | Unreadable>
  /** Returns a spreadsheet as CSV, or `Unreadable`; `busy` and errors are as in `read`. */
  convert: (
    accountId: string,
    load: () => Promise<SheetTask>,
  ) => Promise<ConvertedSheet | Unreadable | 'busy'>
}

/** Maximum size in bytes of a file whose thread is reused; larger files need its memory freed. */
const keptBytesMax = 512 * 1024

/**
 * Starts the worker threads. The largest file takes a few seconds. `taskTimeoutMs` is far longer:
 * on a busy machine the threads, which have a low priority, take ten times as long.
 */
export function startReaders({
  module = new URL('./statement.worker.ts', import.meta.url),
  taskTimeoutMs = 60_000,
} = {}): Readers {
  const threads = startWorkers<FileTask, FileResult>({
    module,
    threadsMax: 2,
    // Short: an idle thread keeps the memory of its last file.
    idleTimeoutMs: 1_000,
    endsThread: (task) => bytesOf(task).length > keptBytesMax,
    queueMax: 20,
    waitTimeoutMs: 30_000,
    taskTimeoutMs,
    memoryMaxMb: 512,
    youngMaxMb: 12,
    exceeded: () => ({
      unreadable: say('FILE_SLOW'),
    }),
  })
  const reading = new Map<string, Promise<unknown>>()
  const start = <Result>(accountId: string, run: () => Promise<Result>): Promise<Result> => {
    const running = run().finally(() => reading.delete(accountId))
    reading.set(accountId, running)
    return running
  }
  const alone = async <Result>(accountId: string, run: () => Promise<Result>) => {
    return reading.has(accountId) ? 'busy' : start(accountId, run)
  }
  const inTurn = async <Result>(accountId: string, run: () => Promise<Result>) => {
    for (let other = reading.get(accountId); other; other = reading.get(accountId)) {
      await other.catch(() => undefined)
    }
    return start(accountId, run)
  }
  return {
    read: (accountId, load) =>
      alone(accountId, async () => {
        const task = await load()
        if ('unreadable' in task) return task
        return receivedOf((await threads.run(task)) as ReadFile | Unreadable)
      }),
    list: (accountId, list) => {
      type Listed = { statements: ListedStatement[] } | Unreadable
      return inTurn(accountId, async () => (await threads.run({ list })) as Listed)
    },
    readAll: (accountId, several) =>
      inTurn(accountId, async () => {
        type Read = { read: (ReadFile | Unreadable)[] } | Unreadable
        const found = (await threads.run({ several })) as Read
        return 'unreadable' in found ? found : found.read.map(receivedOf)
      }),
    convert: (accountId, load) =>
      alone(accountId, async () => {
        return (await threads.run(await load())) as ConvertedSheet | Unreadable
      }),
    [Symbol.asyncDispose]: () => threads[Symbol.asyncDispose](),
  }
}

function bytesOf(task: FileTask): Uint8Array {
  if ('sheet' in task) return task.sheet
  if ('several' in task) return task.several.bytes
  return 'list' in task ? task.list.bytes : task.bytes
}

/** Restores a statement that a worker thread sent. */
function receivedOf(read: ReadFile | Unreadable): ReceivedStatement | Unreadable {
  return 'unreadable' in read ? read : { ...read, rows: Pages.of<FileRow>(read.rows) }
}
