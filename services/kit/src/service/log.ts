import { type DestinationStream, type Logger, pino } from 'pino'
import { redact } from './redaction.ts'

export type Log = Logger

export interface LogOptions {
  level: string
  name: string
  /** Where lines go instead of standard error. */
  to?: DestinationStream
}

/**
 * Structured log lines (JSON) on standard error. Secrets, and the rows and parameters that errors
 * carry, are removed from whatever is logged (`redaction.ts`).
 */
export function createLog({ level, name, to }: LogOptions): Log {
  return pino(
    {
      level,
      base: { name },
      formatters: { log: (fields) => redact(fields) },
      // Errors are redacted with everything else, under every name.
      serializers: { err: (error) => error },
    },
    to ?? pino.destination({ fd: 2, sync: false }),
  )
}
