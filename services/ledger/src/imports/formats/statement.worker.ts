import { convertSheet, type SheetTask } from './sheets/sheet.ts'
import type { FileStatement, Unreadable } from './statement.ts'
import { type ReadingTask, readStatementFile } from './statement-file.ts'

/** Entry point of the worker thread: parsing a large file would block the event loop. */
export function run(task: ReadingTask | SheetTask): FileStatement | Uint8Array | Unreadable {
  return 'sheet' in task ? convertSheet(task.sheet) : readStatementFile(task)
}
