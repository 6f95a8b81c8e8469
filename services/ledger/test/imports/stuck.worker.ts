import { type ReadingTask, readStatementFile } from '../../src/imports/formats/statement-file.ts'

/** Reads a statement file like the service's worker, but loops forever if the file is empty. */
export function run(task: ReadingTask): ReturnType<typeof readStatementFile> {
  while (task.bytes.length === 0);
  return readStatementFile(task)
}
