import type { Log } from '@coffer/kit/service/log'
import { currentTraceId } from '@coffer/kit/telemetry/trace'
import { type DestinationStream, pino } from 'pino'
import { redact } from './redaction.ts'

export interface LogOptions {
  level: string
  name: string
  /** Destination of the log lines; standard error by default. */
  to?: DestinationStream
}

/**
 * Creates a log of JSON lines on standard error, without secrets, rows and statement parameters
 * (`redaction.ts`).
 */
export function createLog({ level, name, to }: LogOptions): Log {
  return pino(
    {
      level,
      base: { name },
      // Adds the ID of the active trace to each line, so that lines of a request can be found by
      // it.
      mixin: () => {
        const traceId = currentTraceId()
        return traceId === undefined ? {} : { traceId }
      },
      formatters: { log: (fields) => redact(fields) },
      // Pino must not serialize errors, because `redact` needs the Error objects.
      serializers: { err: (error) => error },
    },
    to ?? pino.destination({ fd: 2, sync: false }),
  )
}
