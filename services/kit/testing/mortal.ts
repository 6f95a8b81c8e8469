import type { Database } from '../src/database/database.ts'
import type { ServiceDefinition } from '../src/service/service.ts'

type Activities = Record<string, (...args: never[]) => Promise<unknown>>

/** A service that a test can crash between two statements and restart. */
export interface Mortal {
  definition: ServiceDefinition
  /** Temporal activities of the service; the test calls them, and no workflow runs. */
  activities: () => Activities
  /** Makes every database statement throw from this step (counted from 1) on, as after a crash. */
  killBefore: (step: number) => void
  /** Restarts the service; returns whether it had crashed. */
  revive: () => boolean
}

/**
 * Simulates crashes before and after each statement, and before each COMMIT. A crash at any other
 * point has the effect of one of these. An open transaction is rolled back.
 */
export function mortalOf(definition: ServiceDefinition): Mortal {
  let left = Number.POSITIVE_INFINITY
  let isDead = false
  let activities: Activities = {}
  const step = () => {
    left -= 1
    isDead ||= left <= 0
    if (isDead) throw new Error('killed')
  }
  const create: ServiceDefinition['create'] = (deps) => {
    const database = mortalDatabase(deps.database, step)
    const workflows = { ...deps.workflows, start: async () => undefined }
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
