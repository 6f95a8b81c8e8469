import { isOutage, isOutcomeUnknown } from '../rpc/fault.ts'
import { keyOf } from './aggregate-key.ts'
import {
  type Attempt,
  attemptOnce,
  createRound,
  oneByOne,
  type UnsettledWork,
  writeLocked,
  writeRound,
} from './aggregate-round.ts'
import type { AggregateStore, Outcome, Scoped } from './aggregate-store.ts'
import { createBatcher } from './batch.ts'
import type { Database, Transaction } from './database.ts'

export interface AggregateWriter<Work> {
  /** Writes one work (requested change); returns its reply once committed, or throws. */
  write: (work: Work, signal?: AbortSignal) => Promise<unknown>
  /**
   * Writes works that may fail independently; returns an outcome for each, in order. Works of
   * several aggregates share one round, past the queues. The caller bounds their number.
   */
  writeEach: (works: readonly Work[]) => Promise<readonly Outcome[]>
  /** Writes one work in the caller's transaction, which holds the row lock. */
  writeIn: (tx: Transaction, work: Work) => Promise<unknown>
}

const queueLimits = { sizeMax: 64, waitingMax: 1024 }

/** Maximum number of works of one aggregate in shared rounds; further works are queued. */
const sharedMax = 16

/**
 * Creates a writer with optimistic concurrency: read, decide, save by compare-and-set on the
 * version (docs/money.md#the-writer). Group commit: works of any aggregates share a round of
 * statements, which skips locked rows. Each aggregate is saved atomically, the round is not. After
 * a conflict or a failed round, a work moves to the queue of its aggregate. The queue tries once
 * more without locks, then takes the row lock. Works of a busy aggregate go directly to its queue.
 * A full queue refuses new works (503), except works whose save may be committed.
 */
export function createAggregateWriter<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
): AggregateWriter<Work> {
  type Unsettled = UnsettledWork<Work, ChangeSet>
  const writeAll = (works: readonly Unsettled[]) => writeRound(database, store, createRound(works))
  const share = createBatcher<Work, Outcome | Unsettled>(
    (_key, works) => shareRound(database, store, works),
    queueLimits,
  )
  // 503 means that nothing was done, so a work whose save may be committed is never refused.
  const isRefusable = ({ lost }: Unsettled) => lost === null
  const enqueue = createBatcher<Unsettled, unknown>(
    (_key, works) => {
      return works.some(({ work }) => store.isAlone(work))
        ? oneByOne(works, (one) => writeAll([one]))
        : writeAll(works)
    },
    queueLimits,
    isRefusable,
  )
  const sharing = new Map<string, number>()
  const trySharing = async (key: string, work: Work, signal: AbortSignal | undefined) => {
    const others = sharing.get(key) ?? 0
    const isHot = others >= sharedMax || enqueue.isBusy(key)
    if (isHot || store.isAlone(work)) return { work, lost: null }
    sharing.set(key, others + 1)
    try {
      return await share('', work, signal)
    } finally {
      const left = (sharing.get(key) ?? 1) - 1
      if (left > 0) sharing.set(key, left)
      else sharing.delete(key)
    }
  }
  const write = async (work: Work, signal?: AbortSignal) => {
    const key = keyOf(work.scope)
    const shared = await trySharing(key, work, signal)
    return 'status' in shared ? replyOf(shared) : enqueue(key, shared, signal)
  }
  return {
    write,
    writeEach: async (works) => {
      const keys = new Set(works.map(({ scope }) => keyOf(scope)))
      const mayShare = keys.size === works.length || !works.some(store.isAlone)
      if (keys.size > 1 && mayShare) return writeAll(works.map((work) => ({ work, lost: null })))
      return Promise.allSettled(works.map((work) => write(work)))
    },
    writeIn: async (tx, work) => replyOf(await writeLocked(tx, store, work)),
  }
}

function replyOf(outcome: Outcome): unknown {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** Reads, decides and saves works of any aggregates once, without waiting for locked rows. */
async function shareRound<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  works: readonly Work[],
): Promise<PromiseSettledResult<Outcome | UnsettledWork<Work, ChangeSet>>[]> {
  const round = createRound<Work, ChangeSet>(works.map((work) => ({ work, lost: null })))
  let lost: Attempt<Work, ChangeSet> | null = null
  try {
    await attemptOnce(database, store, round, 'skip')
  } catch (error) {
    if (round.underWay && isOutcomeUnknown(error)) lost = round.underWay
    // An outage fails all works. After other errors, each work is retried in its aggregate's queue.
    else if (isOutage(error)) throw error
  }
  return works.map((work) => {
    return { status: 'fulfilled', value: round.settled.get(work) ?? { work, lost } }
  })
}
