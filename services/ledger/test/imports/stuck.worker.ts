import { type ReadingTask, readStatementFile } from '../../src/imports/formats/statement-file.ts'

/** As the service's own, but for an empty file, which takes for ever. */
export function run(task: ReadingTask): ReturnType<typeof readStatementFile> {
  while (task.bytes.length === 0);
  return readStatementFile(task)
}
