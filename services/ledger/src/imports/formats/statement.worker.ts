import type { FileStatement, Unreadable } from './statement.ts'
import { type ReadingTask, readStatementFile } from './statement-file.ts'

/** Entry point of the worker thread: parsing a large file would block the event loop. */
export function run(task: ReadingTask): FileStatement | Unreadable {
  return readStatementFile(task)
}
