import { convertSheet, type SheetTask } from './sheets/sheet.ts'
import type { FileStatement, ListedStatement, Unreadable } from './statement.ts'
import {
  type ListingTask,
  listStatements,
  type ReadingTask,
  readStatementFile,
} from './statement-file.ts'

export type FileTask = ReadingTask | ListingTask | SheetTask
export type FileResult = FileStatement | { statements: ListedStatement[] } | Uint8Array | Unreadable

/** Entry point of the worker thread: parsing a large file would block the event loop. */
export function run(task: FileTask): FileResult {
  if ('sheet' in task) return convertSheet(task.sheet)
  return 'list' in task ? listStatements(task.list) : readStatementFile(task)
}
