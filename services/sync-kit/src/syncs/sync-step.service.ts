import type { Database } from '@coffer/kit/database/database'
import { isGone } from '../ledger/ledger.client.ts'
import type { Fault } from '../provider/fault-table.ts'
import type { Step } from './sync-run.ts'
import type { SyncState } from './sync-state.ts'
import type { LinkKey, SyncStore } from './sync-store.sql.ts'

type Run<Id extends string> = Record<'accountId' | Id, string> & { runId: string }

/**
 * Begins a sync under the lock of its link, as `begin` decides. Returns the decision without the
 * link; null if there is nothing to do.
 */
export function beginRun<Sync extends SyncState, Id extends string, Begun extends { sync: Sync }>(
  database: Database,
  {
    store,
    run,
    begin,
  }: {
    store: SyncStore<Sync, LinkKey, Id>
    run: Run<Id>
    begin: (sync: Sync) => Begun | null
  },
): Promise<Omit<Begun, 'sync'> | null> {
  return database.transaction(async (tx) => {
    const before = await store.lock(tx, run)
    const begun = before && begin(before)
    if (!begun) return null
    const { sync, ...work } = begun
    if (sync !== before) await store.save(tx, sync)
    return work
  })
}

/** Pause in ms if the provider limits calls without stating until when. */
const pauseMs = 30_000

/**
 * Runs a step of a sync with its link. `storeFault` stores faults of the provider. Returns `gone`
 * if the link has ended (`isLive`), the ledger takes no imports for it, or another sync has begun.
 * Throws other errors, so that Temporal repeats the activity.
 */
export async function runStep<
  Sync extends SyncState,
  Id extends string,
  Code extends string,
  Result,
>(
  database: Database,
  of: {
    store: SyncStore<Sync, LinkKey, Id>
    run: Run<Id>
    isLive: (sync: Sync) => boolean
    faultOf: (error: unknown) => Fault<Code> | null
    storeFault: (fault: Fault<Code>) => Promise<void>
    work: (sync: Sync) => Promise<Step<Result>>
  },
): Promise<Step<Result>> {
  const sync = await of.store.find(database, of.run)
  if (sync?.syncRunId !== of.run.runId || !of.isLive(sync)) return { kind: 'gone' }
  try {
    return await of.work(sync)
  } catch (error) {
    const fault = of.faultOf(error)
    if (fault === null && isGone(error)) return { kind: 'gone' }
    if (fault === null) throw error
    await of.storeFault(fault)
    if (fault.code !== 'rate-limited') return { kind: 'failed' }
    return { kind: 'wait', ms: fault.retryAfterMs ?? pauseMs }
  }
}
