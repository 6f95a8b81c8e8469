import type { DatabasePool } from 'slonik'
import { unavailable } from './errors.ts'
import { createSlots } from './slots.ts'
import { connectionWait } from './telemetry.ts'

/** The methods of a pool that take a connection for as long as they run. */
const taking = [
  'any',
  'anyFirst',
  'connect',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'record',
  'transaction',
] as const

/**
 * The pool behind a concurrency limiter: slonik's own queue for a connection has no bound. A wait
 * of more than `waitMsMax` throws unavailable, before anything was sent. Waits are observed as
 * `coffer_database_wait_seconds` under the schema.
 */
export function limitConnections(
  pool: DatabasePool,
  options: { schema: string; poolSizeMax: number; waitMsMax: number },
): DatabasePool {
  const slots = createSlots(options.poolSizeMax)
  const observed = connectionWait.labels({ schema: options.schema })
  const take = async (): Promise<void> => {
    const startedAt = performance.now()
    try {
      await (slots.isFree() ? slots.take() : slots.take(AbortSignal.timeout(options.waitMsMax)))
    } catch {
      throw unavailable('the database is busy')
    } finally {
      observed.observe((performance.now() - startedAt) / 1000)
    }
  }
  const limited = (method: (...parameters: never[]) => Promise<unknown>) => {
    return async (...parameters: never[]): Promise<unknown> => {
      await take()
      try {
        return await method(...parameters)
      } finally {
        slots.free()
      }
    }
  }
  const methods = taking.map((name) => [name, limited(pool[name])])
  return Object.assign(Object.create(pool), Object.fromEntries(methods))
}
