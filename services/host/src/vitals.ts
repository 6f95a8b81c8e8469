import type { Database } from '@coffer/kit/database/database'
import { repeat } from '@coffer/kit/service/repeat'
import { connectClient } from './database/connection.ts'

/** Time in ms without a heartbeat after which a loop counts as dead. */
const silentMsMax = 60_000

/** Liveness of background loops, which can be dead while the process still answers requests. */
export interface Vitals {
  /** Registers a loop, which calls the returned function as its heartbeat, even while it waits. */
  watch: (name: string) => () => void
  /** Returns the dead loops, which only a restart of the process recovers. */
  faults: () => string[]
}

/** Creates the registry of loops. `now` is a monotonic clock in ms. */
export function createVitals(now = () => performance.now()): Vitals {
  const beats = new Map<string, number>()
  return {
    watch: (name) => {
      const beat = () => beats.set(name, now())
      beat()
      return beat
    },
    faults: () =>
      [...beats].flatMap(([name, at]) =>
        now() - at > silentMsMax ? [`${name} has stopped and does not resume`] : [],
      ),
  }
}

const everyMs = 5_000

/** A pool of connections, and the URL of its database. */
interface WatchedPool {
  database: Pick<Database, 'isHealthy' | 'answeredAt'>
  url: string
}

/**
 * Checks a connection pool every five seconds. Calls `beat` unless the pool gets no answer although
 * a new connection does: the pool is then unusable, and the process needs a restart.
 */
export function watchPool(pool: WatchedPool, beat: () => void): AsyncDisposable {
  const check = async () => {
    if (!(await isStuck(pool))) beat()
  }
  return repeat(check, { everyMs })
}

async function isStuck({ database, url }: WatchedPool): Promise<boolean> {
  if (await database.isHealthy()) return false
  // A busy pool has answered a request recently, so it needs no check.
  if (performance.now() - database.answeredAt() < everyMs) return false
  try {
    await using connection = await connectClient(url)
    await connection.client.query('SELECT 1')
    return true
  } catch {
    return false
  }
}
