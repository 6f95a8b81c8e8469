import { type Logger, pino } from 'pino'

export type Log = Logger

/**
 * Structured log lines on standard error. What could carry a secret is removed by name, whatever
 * object it comes in.
 */
export function createLog(options: { level: string; name: string }): Log {
  return pino(
    {
      name: options.name,
      level: options.level,
      base: null,
      redact: {
        paths: ['password', 'secret', 'token', 'authorization', 'cookie', '*.password', '*.secret'],
        censor: '[removed]',
      },
    },
    pino.destination({ fd: 2, sync: false }),
  )
}
