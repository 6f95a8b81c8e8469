import { isOutage, isOutcomeUnknown } from '../rpc/fault.ts'
import { keyOf } from './aggregate-key.ts'
import {
  type Attempt,
  attemptOnce,
  type GoingOn,
  oneByOne,
  roundOf,
  writeLocked,
  writeRound,
} from './aggregate-round.ts'
import type { AggregateStore, Outcome, Scoped } from './aggregate-store.ts'
import { createBatcher } from './batch.ts'
import type { Database, Transaction } from './database.ts'

export interface AggregateWriter<Work> {
  /** Carries out one work; resolves with its reply once that is committed. */
  write: (work: Work, signal?: AbortSignal) => Promise<unknown>
  /** Carries out works, each by itself; an outcome for each, in their order. */
  writeEach: (works: readonly Work[]) => Promise<readonly Outcome[]>
  /** Carries out one work in the transaction of the caller, which holds the row lock. */
  writeIn: (tx: Transaction, work: Work) => Promise<unknown>
}

const lineLimits = { sizeMax: 64, waitingMax: 1024 }

/** Works of one aggregate that may share rounds at once. */
const sharedMax = 16

/**
 * Optimistic concurrency: read, decide, save with a compare-and-set on the version.
 *
 * Group commit: works of this process on any aggregates share a round, which waits for no lock. A
 * work goes on in the line of its own aggregate if its version has moved, its row is locked, or the
 * round failed: there it is read and decided again, after one more conflict under the row lock. The
 * works of a hot aggregate go to its line at once: only they are refused if too many wait there. A
 * round is not one transaction of its aggregates: each is saved by itself.
 */
export function createAggregateWriter<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
): AggregateWriter<Work> {
  type Going = GoingOn<Work, ChangeSet>
  const writeAll = (works: readonly Going[]) => writeRound(database, store, roundOf(works))
  const share = createBatcher<Work, Outcome | Going>(
    (_key, works) => shareRound(database, store, works),
    lineLimits,
  )
  const lineUp = createBatcher<Going, unknown>((_key, works) => {
    return works.some(({ work }) => store.isAlone(work))
      ? oneByOne(works, (one) => writeAll([one]))
      : writeAll(works)
  }, lineLimits)
  const sharing = new Map<string, number>()
  const trySharing = async (key: string, work: Work, signal: AbortSignal | undefined) => {
    const others = sharing.get(key) ?? 0
    const isHot = others >= sharedMax || lineUp.isBusy(key)
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
    return 'status' in shared ? replyOf(shared) : lineUp(key, shared, signal)
  }
  return {
    write,
    writeEach: async (works) => {
      const keys = new Set(works.map(({ scope }) => keyOf(scope)))
      if (keys.size > 1) return writeAll(works.map((work) => ({ work, lost: null })))
      return Promise.allSettled(works.map((work) => write(work)))
    },
    writeIn: async (tx, work) => replyOf(await writeLocked(tx, store, work)),
  }
}

function replyOf(outcome: Outcome): unknown {
  if (outcome.status === 'rejected') throw outcome.reason
  return outcome.value
}

/** One attempt for works of any aggregates, which waits for no lock. */
async function shareRound<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  works: readonly Work[],
): Promise<PromiseSettledResult<Outcome | GoingOn<Work, ChangeSet>>[]> {
  const round = roundOf<Work, ChangeSet>(works.map((work) => ({ work, lost: null })))
  let lost: Attempt<Work, ChangeSet> | null = null
  try {
    await attemptOnce(database, store, round, 'skip')
  } catch (error) {
    if (round.underWay && isOutcomeUnknown(error)) lost = round.underWay
    // Any other error is a refusal of the statement: one of the works is to blame.
    else if (isOutage(error)) throw error
  }
  return works.map((work) => {
    return { status: 'fulfilled', value: round.settled.get(work) ?? { work, lost } }
  })
}
