import { unavailable } from '@coffer/kit/rpc/errors'
import { createSemaphore } from '@coffer/kit/service/semaphore'
import type { DatabasePool } from 'slonik'
import { connectionWait } from '../metrics.ts'

/** Methods of a pool that hold a connection while they run. */
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
 * Concurrency limiter in front of a pool, because slonik's queue for connections is unbounded. A
 * wait longer than `waitMsMax` throws unavailable before anything is sent. Waits are observed as
 * `coffer_database_wait_seconds`, labelled with the schema.
 */
export function limitConnections(
  pool: DatabasePool,
  options: { schema: string; poolSizeMax: number; waitMsMax: number },
): DatabasePool {
  const connections = createSemaphore(options.poolSizeMax)
  const observed = connectionWait.labels({ schema: options.schema })
  const wait = async (): Promise<void> => {
    const startedAt = performance.now()
    const isAcquired = await connections.acquire(options.waitMsMax)
    observed.observe((performance.now() - startedAt) / 1000)
    if (!isAcquired) throw unavailable('the database is busy: try again later')
  }
  const limited = (method: (...parameters: never[]) => Promise<unknown>) => {
    return async (...parameters: never[]): Promise<unknown> => {
      if (connections.tryAcquire()) observed.observe(0)
      else await wait()
      try {
        return await method(...parameters)
      } finally {
        connections.release()
      }
    }
  }
  const methods = taking.map((name) => [name, limited(pool[name])])
  return Object.assign(Object.create(pool), Object.fromEntries(methods))
}
