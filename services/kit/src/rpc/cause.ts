import { AsyncLocalStorage } from 'node:async_hooks'
import { values } from '@coffer/proto/values'
import type { Cause } from '../values/changed-object.ts'
import type { Caller } from './caller.ts'
import { headers } from './rpc.ts'

const active = new AsyncLocalStorage<Cause>()
const unknown: Cause = { actor: 'job', causeId: '' }

/** Runs work whose changes have this cause. */
export function causedBy<T>(cause: Cause, work: () => T): T {
  return active.run(cause, work)
}

/** Returns the cause of changes in this context; outside of calls and activities, a job. */
export function currentCause(): Cause {
  return active.getStore() ?? unknown
}

/**
 * Returns the cause of the changes that a call makes. A service that calls as the system sends its
 * own cause.
 */
export function causeOfCall({ kind }: Caller, sent: Headers): Cause {
  const causeId = sent.get(headers.requestId) ?? ''
  if (kind !== 'system') return { actor: kind === 'key' ? 'key' : 'user', causeId }
  const stated = sent.get(headers.actor)
  return { actor: values['Cause.actor'].find((one) => one === stated) ?? 'job', causeId }
}
