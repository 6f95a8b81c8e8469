import type { Log } from '@coffer/kit/service/log'
import { createLog } from '../src/logger.ts'

/** A log in memory, whose lines tests compare. */
export interface LogLines {
  log: Log
  /** Parsed lines so far, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read lines as their readers do
  lines: () => any[]
  /** The lines so far as written. */
  text: () => string
}

/** Creates a log in memory. */
export function keepLogLines(level = 'trace'): LogLines {
  let text = ''
  const write = (line: string): void => {
    text += line
  }
  return {
    log: createLog({ level, name: 'test', to: { write } }),
    lines: () =>
      text
        .split('\n')
        .filter(Boolean)
        .map((line) => JSON.parse(line)),
    text: () => text,
  }
}
