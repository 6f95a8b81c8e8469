import type { Log } from '@coffer/kit/service/log'
import { createLog } from '../src/logger.ts'

/** A log in memory whose lines a test can read. */
export interface LogLines {
  log: Log
  // biome-ignore lint/suspicious/noExplicitAny: tests read lines as their readers do
  lines: () => any[]
  text: () => string
}

/** Creates a log that keeps its lines in memory. */
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
