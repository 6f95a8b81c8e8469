import type { Database, Transaction } from '@coffer/kit/database/database'
import { type Change, emit } from '@coffer/kit/events/changes'
import { notFound } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { SyncState } from './sync-state.ts'
import type { LinkKey, SyncStore } from './sync-store.sql.ts'

/** A request of a sync. */
export interface SyncRequest {
  now: Date
  by: 'user' | 'operator' | 'service'
}

/** The syncs of a service: how they are requested, and the workflow that runs them. */
interface RequestedSyncs<Sync extends SyncState, Key extends LinkKey, Id extends string> {
  store: SyncStore<Sync, Key, Id>
  /** Name of a link in refusals. */
  noun: string
  /** Returns a link with a requested sync; throws refused. */
  request: (sync: Sync, of: SyncRequest, key: Key) => Sync
  /** Returns the event of a request, whose handler starts the sync (`startRequested`). */
  eventOf: (key: Key, now: Date) => Change
  /** Type of the workflow that syncs a link. */
  workflow: string
  /** Prefix of the workflow's ID; the link's ID follows. */
  prefix: string
}

/** Functions that request and start the syncs of a service. */
export interface SyncRequests<Key extends LinkKey> {
  /** Requests a sync of a link, and emits the request. Throws notFound and refused. */
  request: (tx: Transaction, key: Key, of: SyncRequest) => Promise<void>
  /**
   * Requests a sync for an operator, who need not wait 30 minutes between requests as users must;
   * a running server starts it. `also` runs in the same transaction. Returns null for an unknown
   * link. Throws refused.
   */
  requestByOperator: (
    database: Database,
    linkId: string,
    of: { now: Date; also?: (tx: Transaction, key: Key) => Promise<void> },
  ) => Promise<Key | null>
  /** Starts the syncs of a link. A workflow that is already running checks again for a request. */
  start: (deps: Pick<ServiceDeps, 'workflows'>, key: Key) => Promise<void>
  /** Starts a requested sync, unless it has begun. */
  startRequested: (deps: Pick<ServiceDeps, 'database' | 'workflows'>, key: Key) => Promise<void>
}

/** Returns the functions that request and start a service's syncs. */
export function createSyncRequests<
  Sync extends SyncState,
  Key extends LinkKey & Record<Id, string>,
  Id extends string,
>(of: RequestedSyncs<Sync, Key, Id>): SyncRequests<Key> {
  const { store, noun, eventOf, workflow, prefix } = of
  const request = async (tx: Transaction, key: Key, by: SyncRequest): Promise<void> => {
    const before = await store.lock(tx, key)
    if (!before) throw notFound(noun)
    await store.save(tx, of.request(before, by, key))
    await emit(tx, eventOf(key, by.now))
  }
  const start = async ({ workflows }: Pick<ServiceDeps, 'workflows'>, key: Key): Promise<void> => {
    // `key` may be a row or an event: `parse` drops its other fields, which are no arguments.
    const args = [store.links.key.parse(key)]
    await workflows.start({ type: workflow, id: `${prefix}/${key.linkId}`, args })
  }
  return {
    request,
    requestByOperator: async (database, linkId, { now, also }) => {
      const key = await store.findKey(database, linkId)
      if (!key) return null
      await database.transaction(async (tx) => {
        await request(tx, key, { now, by: 'operator' })
        await also?.(tx, key)
      })
      return key
    },
    start,
    startRequested: async (deps, key) => {
      const sync = await store.find(deps.database, key)
      if (sync?.requestedAt) await start(deps, key)
    },
  }
}

/** Returns the state of the syncs of a link; throws if its account was deleted meanwhile. */
export async function getSync<
  Sync extends SyncState,
  Key extends LinkKey & Record<Id, string>,
  Id extends string,
>(store: SyncStore<Sync, Key, Id>, database: Database, key: Key): Promise<Sync> {
  const sync = await store.find(database, key)
  if (!sync) throw new Error(`the link ${key.linkId} was deleted`)
  return sync
}
