import type { Database } from '@coffer/kit/database/database'
import { repeat } from '@coffer/kit/service/repeat'
import { connectClient } from './database/connection.ts'

/** Time in ms without a beat after which a loop counts as dead. */
const silentMsMax = 60_000

/** Liveness: the loops of a process, one of which can be dead while the process answers. */
export interface Vitals {
  /** Registers a loop. It calls the returned function while it goes on, also while it waits. */
  watch: (name: string) => () => void
  /** Returns the loops that are dead; only a restart of the process helps. */
  faults: () => string[]
}

/** Creates an empty list of loops. `now` is a monotonic clock in ms. */
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
 * Checks a connection pool every five seconds. `beat` is called unless the pool gets no answer
 * although a new connection does: then the pool cannot be used any more.
 */
export function watchPool(pool: WatchedPool, beat: () => void): AsyncDisposable {
  const check = async () => {
    if (!(await isStuck(pool))) beat()
  }
  return repeat(check, { everyMs })
}

async function isStuck({ database, url }: WatchedPool): Promise<boolean> {
  if (await database.isHealthy()) return false
  // A pool that is busy with requests answers some of them.
  if (performance.now() - database.answeredAt() < everyMs) return false
  try {
    await using connection = await connectClient(url)
    await connection.client.query('SELECT 1')
    return true
  } catch {
    return false
  }
}
