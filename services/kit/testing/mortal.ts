import type { Database } from '../src/database/database.ts'
import { unavailable } from '../src/rpc/errors.ts'
import type { ServiceDefinition } from '../src/service/service.ts'

type Activities = Record<string, (...args: never[]) => Promise<unknown>>

/** A service that a test can crash between two statements and restart. */
export interface Mortal {
  definition: ServiceDefinition
  /** Temporal activities of the service, for a test that runs no workflows. */
  activities: () => Activities
  /** Makes every database statement throw from this step (counted from 1) on, as after a crash. */
  killBefore: (step: number) => void
  isKilled: () => boolean
  /** Restarts the service; returns whether it had crashed. */
  revive: () => boolean
}

/**
 * Simulates crashes before and after each statement, and before each COMMIT. A crash at any other
 * point has the effect of one of these. An open transaction is rolled back. Workflows run only with
 * `hasWorkflows`; otherwise a start of one has no effect.
 */
export function mortalOf(definition: ServiceDefinition, { hasWorkflows = false } = {}): Mortal {
  let left = Number.POSITIVE_INFINITY
  let isDead = false
  let activities: Activities = {}
  const step = () => {
    left -= 1
    isDead ||= left <= 0
    // Clients of a process that was killed get this error, and repeat the call.
    if (isDead) throw unavailable('killed')
  }
  const create: ServiceDefinition['create'] = (deps) => {
    const database = mortalDatabase(deps.database, step)
    const start = async () => undefined
    const workflows = hasWorkflows ? deps.workflows : { ...deps.workflows, start }
    const service = definition.create({ ...deps, database, workflows })
    activities = service.activities ?? {}
    return service
  }
  return {
    definition: { ...definition, create },
    activities: () => activities,
    killBefore: (step) => {
      left = step
    },
    isKilled: () => isDead,
    revive: () => {
      const wasDead = isDead
      left = Number.POSITIVE_INFINITY
      isDead = false
      return wasDead
    },
  }
}

function mortalDatabase(database: Database, step: () => void): Database {
  const pool = watched(database.pool, step)
  return {
    ...database,
    pool,
    autocommit: (run) => database.autocommit(() => run(pool)),
    transaction: async (run) => {
      step()
      const result = await database.transaction(async (tx) => {
        const done = await run(watched(tx, step))
        step()
        return done
      })
      step()
      return result
    },
  }
}

/** Returns a proxy of the object; each of its method calls counts two steps, before and after. */
function watched<T extends object>(target: T, step: () => void): T {
  return new Proxy(target, {
    get: (object, name) => {
      const value = Reflect.get(object, name)
      if (typeof value !== 'function') return value
      return async (...given: unknown[]) => {
        step()
        const result = await Reflect.apply(value, object, given)
        step()
        return result
      }
    },
  })
}
