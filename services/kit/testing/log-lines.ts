import { createLog, type Log } from '../src/service/log.ts'

/** A log whose lines a test reads. */
export interface LogLines {
  log: Log
  /** The lines so far, oldest first. */
  // biome-ignore lint/suspicious/noExplicitAny: tests read lines as their readers do
  lines: () => any[]
  /** The lines so far, as written. */
  text: () => string
}

/** Opens a log that keeps its lines in memory. */
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
