import { readOfx } from './ofx.ts'
import type { FileStatement, ReadingSettings, Unreadable } from './statement.ts'

/** What a thread is given to read. */
export interface ReadingTask {
  bytes: Uint8Array
  settings: ReadingSettings
}

/** Reads one file in a worker thread, so that a large one does not hold up the event loop. */
export function run({ bytes, settings }: ReadingTask): FileStatement | Unreadable {
  return readOfx(bytes, settings)
}
