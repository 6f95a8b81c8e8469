import type { AdvanceDeps } from '../src/advance/advance-together.activities.ts'
import { createPlanWriter } from '../src/plans/writer.service.ts'

/** A process that can be killed: what it is made from, and how far it came. */
export interface Mortal {
  deps: AdvanceDeps
  /** Statements, transactions and calls that were begun. */
  steps: () => number
}

/**
 * What a process is made from that is killed before its step of that number (from 1): from then on
 * nothing that it tries happens. Between two steps there is nothing that anybody else could see.
 */
export function dying(deps: AdvanceDeps, lastStep = Number.POSITIVE_INFINITY): Mortal {
  let begun = 0
  const step = () => {
    begun += 1
    if (begun >= lastStep) throw new Error('killed')
  }
  const { database, mesh } = deps
  const pool = watched(database.pool, step)
  const transaction: typeof database.transaction = async (run) => {
    step()
    return database.transaction(run)
  }
  const autocommit: typeof database.autocommit = async (run) => {
    step()
    return database.autocommit(run)
  }
  const client: typeof mesh.client = (name, service) => watched(mesh.client(name, service), step)
  const mortal = { ...database, pool, transaction, autocommit }
  return {
    deps: {
      ...deps,
      ...createPlanWriter({ database: mortal, clock: deps.clock }),
      database: mortal,
      mesh: { client, [Symbol.dispose]: () => undefined },
    },
    steps: () => begun,
  }
}

/** The same object, each of whose methods is a step. */
function watched<T extends object>(target: T, step: () => void): T {
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
