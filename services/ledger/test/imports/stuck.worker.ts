import { type ReadingTask, readStatementFile } from '../../src/imports/formats/statement-file.ts'

/** Like the service's worker, but an empty file loops forever. */
export function run(task: ReadingTask): ReturnType<typeof readStatementFile> {
  while (task.bytes.length === 0);
  return readStatementFile(task)
}
