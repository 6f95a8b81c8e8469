import { convertSheet } from './sheets/sheet.ts'
import { countSkipped } from './skipped-rows.ts'
import type { Unreadable } from './statement.ts'
import {
  type FileResult,
  type FileTask,
  listStatements,
  type ReadFile,
  readStatementFile,
  readStatements,
} from './statement-file.ts'

/** Entry point of the worker thread: parsing a large file would block the event loop. */
export function run(task: FileTask): FileResult {
  if ('sheet' in task) return convertSheet(task)
  if ('several' in task) return { read: readStatements(task.several).map(contentOf) }
  return 'list' in task ? listStatements(task.list) : contentOf(readStatementFile(task))
}

/** Converts a statement to the form that structured cloning passes to the main thread. */
function contentOf(read: ReturnType<typeof readStatementFile>): ReadFile | Unreadable {
  if ('unreadable' in read) return read
  return { ...read, rows: read.rows.content(), skipped: countSkipped(read.skipped) }
}
