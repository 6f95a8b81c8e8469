import type { AdvanceDeps } from '../src/advance/advance-together.service.ts'
import { createPlanWriter } from '../src/plans/writer.service.ts'

/** Fault injection: dependencies of a process that is killed, and its number of steps. */
export interface KilledProcess {
  deps: AdvanceDeps
  /** Returns the number of statements, transactions and calls that were begun. */
  steps: () => number
}

/**
 * Creates dependencies of a process that is killed before step `lastStep` (counted from 1). Every
 * statement, transaction and call is a step; from `lastStep` on, each step throws. Only steps have
 * effects that another process can read.
 */
export function createKilledProcess(
  deps: AdvanceDeps,
  lastStep = Number.POSITIVE_INFINITY,
): KilledProcess {
  let begun = 0
  const step = () => {
    begun += 1
    if (begun >= lastStep) throw new Error('killed')
  }
  const { database, mesh } = deps
  const pool = countCalls(database.pool, step)
  const transaction: typeof database.transaction = async (run) => {
    step()
    return database.transaction(run)
  }
  const autocommit: typeof database.autocommit = async (run) => {
    step()
    return database.autocommit(run)
  }
  const client: typeof mesh.client = (name, service) => countCalls(mesh.client(name, service), step)
  const killed = { ...database, pool, transaction, autocommit }
  return {
    deps: {
      ...deps,
      ...createPlanWriter({ database: killed, clock: deps.clock }),
      database: killed,
      mesh: { client, [Symbol.dispose]: () => undefined },
    },
    steps: () => begun,
  }
}

/** Returns a proxy of an object that counts each method call as a step. */
function countCalls<T extends object>(target: T, step: () => void): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value = Reflect.get(object, name)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        step()
        return Reflect.apply(value, object, given)
      }
    },
  })
}
