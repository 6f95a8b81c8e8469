import type { Log } from '@coffer/kit/service/log'
import { type DestinationStream, pino } from 'pino'
import { redact } from './redaction.ts'

export interface LogOptions {
  level: string
  name: string
  /** Destination of the lines; standard error unless set. */
  to?: DestinationStream
}

/**
 * Structured log lines (JSON) on standard error. Secrets, rows and statement parameters are removed
 * (`redaction.ts`).
 */
export function createLog({ level, name, to }: LogOptions): Log {
  return pino(
    {
      level,
      base: { name },
      formatters: { log: (fields) => redact(fields) },
      // Errors are redacted with all other fields, under any name.
      serializers: { err: (error) => error },
    },
    to ?? pino.destination({ fd: 2, sync: false }),
  )
}
