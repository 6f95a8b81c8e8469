import type { FileStatement, Unreadable } from './statement.ts'
import { type ReadingTask, readStatementFile } from './statement-file.ts'

/** Reads one file in a worker thread, so that a large one does not hold up the event loop. */
export function run(task: ReadingTask): FileStatement | Unreadable {
  return readStatementFile(task)
}
