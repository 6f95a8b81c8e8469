import type { Database } from '@coffer/kit/database/database'

/** The database as a process sees it until it is killed. */
export interface MortalDatabase {
  database: Database
  isKilled: () => boolean
}

/**
 * Returns a view of a database that refuses all statements and commits from the one with this
 * number on, counted from 1, as after SIGKILL: what was committed stays, an open transaction is
 * rolled back.
 */
export function mortal(database: Database, killBefore: number): MortalDatabase {
  let count = 0
  const step = () => {
    count += 1
    if (count >= killBefore) throw new Error('the process was killed')
  }
  const counted = <Queries extends object>(queries: Queries): Queries =>
    new Proxy(queries, {
      get: (target, name) => {
        const found = Reflect.get(target, name)
        if (typeof found !== 'function') return found
        return async (...given: unknown[]) => {
          step()
          return await found.apply(target, given)
        }
      },
    })
  const transaction: Database['transaction'] = (run) =>
    database.transaction(async (tx) => {
      const result = await run(counted(tx))
      step()
      return result
    })
  return {
    database: { ...database, pool: counted(database.pool), transaction },
    isKilled: () => count >= killBefore,
  }
}
