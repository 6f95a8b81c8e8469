import { run as read } from '../../src/imports/formats/statement.worker.ts'
import type { ReadingTask } from '../../src/imports/formats/statement-file.ts'

/** Reads a statement file like the service's worker. Blocks for a minute if the file is empty. */
export function run(task: ReadingTask): ReturnType<typeof read> {
  if (task.bytes.length === 0) {
    Atomics.wait(new Int32Array(new SharedArrayBuffer(4)), 0, 0, 60_000)
  }
  return read(task)
}
