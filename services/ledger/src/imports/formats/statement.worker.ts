import { convertSheet } from './sheets/sheet.ts'
import {
  type FileResult,
  type FileTask,
  listStatements,
  readStatementFile,
} from './statement-file.ts'

/** Entry point of the worker thread: parsing a large file would block the event loop. */
export function run(task: FileTask): FileResult {
  if ('sheet' in task) return convertSheet(task)
  return 'list' in task ? listStatements(task.list) : readStatementFile(task)
}
