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
 * Creates a log of JSON lines on standard error. Secrets, rows and statement parameters are removed
 * (`redaction.ts`).
 */
export function createLog({ level, name, to }: LogOptions): Log {
  return pino(
    {
      level,
      base: { name },
      formatters: { log: (fields) => redact(fields) },
      // Errors are not serialized here: `redact` handles them like all other fields.
      serializers: { err: (error) => error },
    },
    to ?? pino.destination({ fd: 2, sync: false }),
  )
}
