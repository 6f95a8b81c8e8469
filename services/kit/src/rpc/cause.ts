import { AsyncLocalStorage } from 'node:async_hooks'
import type { Cause } from '../values/changed-object.ts'
import type { Caller } from './caller.ts'

const active = new AsyncLocalStorage<Cause>()
const unknown: Cause = { actor: 'job', causeId: '' }

/** Runs work whose changes have this cause. */
export function causedBy<T>(cause: Cause, work: () => T): T {
  return active.run(cause, work)
}

/** Returns the cause of changes that are made now: outside of calls and activities, a job. */
export function currentCause(): Cause {
  return active.getStore() ?? unknown
}

/**
 * Returns the cause of the changes that a call makes. A service that calls as the system works for
 * a provider of bank data if `isSync`.
 */
export function causeOfCall({ kind }: Caller, causeId: string, isSync: boolean): Cause {
  if (kind === 'system') return { actor: isSync ? 'sync' : 'job', causeId }
  return { actor: kind === 'key' ? 'key' : 'user', causeId }
}
