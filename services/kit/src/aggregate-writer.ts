import { type CommonQueryMethods, IntegrityConstraintViolationError } from 'slonik'
import { createBatcher } from './batch.ts'
import type { Database, Transaction } from './database.ts'

export type Outcome = PromiseSettledResult<unknown>

/**
 * How aggregates of one kind are read and saved. An aggregate is a row with a `version` and the
 * rows under it; every save that changes any of them raises the version.
 */
export interface AggregateStore<Work, State, ChangeSet> {
  /** Names the aggregate that a work is about. */
  keyOf: (work: Work) => string
  /** In one statement: the rows that the works name, by key. Missing aggregates are left out. */
  read: (
    connection: CommonQueryMethods,
    works: readonly Work[],
  ) => Promise<ReadonlyMap<string, State>>
  /** Takes the row locks of these aggregates, in the order of their keys. */
  lock: (tx: Transaction, works: readonly Work[]) => Promise<void>
  /**
   * Pure: applies the works of one aggregate in order, each to the result of the one before. A
   * refused work leaves no trace. The change set is null where nothing is to be saved.
   */
  decide: (state: State | undefined, works: readonly Work[]) => Decided<ChangeSet>
  /** In one statement: saves the change sets whose version still holds; returns their keys. */
  save: (
    connection: CommonQueryMethods,
    changeSets: ReadonlyMap<string, ChangeSet>,
  ) => Promise<ReadonlySet<string>>
  /** Whether a work changes rows that its round does not list one by one. */
  isAlone: (work: Work) => boolean
}

/** What became of each work, in their order, and what is to be saved of them. */
export interface Decided<ChangeSet> {
  outcomes: readonly Outcome[]
  changeSet: ChangeSet | null
}

export interface AggregateWriter<Work> {
  /** Carries out works; an outcome each, in their order, once what was decided is committed. */
  run: (works: readonly Work[], signal?: AbortSignal) => Promise<readonly Outcome[]>
  /** Carries out one work in the transaction of the caller, which holds the row lock. */
  runLocked: (tx: Transaction, work: Work) => Promise<Outcome>
}

/** Reads and saves without locks; a third attempt runs under row locks. */
const optimisticAttempts = 2

const lineLimits = { sizeMax: 64, waitingMax: 1024 }

/**
 * Optimistic concurrency: read, decide, save with a compare-and-set on the version. Aggregates
 * whose version has moved are read and decided again, after two conflicts under row locks. Works of
 * this process on one aggregate line up and share a round. A round over several aggregates is not
 * one transaction: each is saved by itself.
 */
export function createAggregateWriter<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
): AggregateWriter<Work> {
  const lineUp = createBatcher<Work, unknown>((_key, works) => {
    return works.some(store.isAlone)
      ? oneByOne(works, (work) => writeRound(database, store, [work]))
      : writeRound(database, store, works)
  }, lineLimits)
  return {
    run: async (works, signal) => {
      const keys = new Set(works.map(store.keyOf))
      if (keys.size > 1) return writeRound(database, store, works)
      return Promise.allSettled(works.map((work) => lineUp(store.keyOf(work), work, signal)))
    },
    runLocked: async (tx, work) => {
      const outcome = (await attemptOnce(within(tx, store), store, [work])).get(work)
      if (!outcome) throw versionMoved()
      return outcome
    },
  }
}

/**
 * One round. An integrity violation (a repeated key) fails the statement of all: works that are not
 * committed by then run one by one, so that only the cause of it is refused.
 */
async function writeRound<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  works: readonly Work[],
): Promise<Outcome[]> {
  const settled = new Map<Work, Outcome>()
  try {
    await attempts(database, store, { works, settled })
  } catch (error) {
    const open = works.filter((work) => !settled.has(work))
    if (works.length === 1 || !(error instanceof IntegrityConstraintViolationError)) throw error
    const outcomes = await oneByOne(open, (work) => writeRound(database, store, [work]))
    for (const [index, outcome] of outcomes.entries()) settled.set(open[index] as Work, outcome)
  }
  return works.flatMap((work) => settled.get(work) ?? [])
}

async function oneByOne<Work>(
  works: readonly Work[],
  write: (work: Work) => Promise<Outcome[]>,
): Promise<Outcome[]> {
  const outcomes: Outcome[] = []
  for (const work of works) {
    const [outcome] = await Promise.allSettled([write(work)])
    if (outcome?.status === 'fulfilled') outcomes.push(...outcome.value)
    else if (outcome) outcomes.push(outcome)
  }
  return outcomes
}

interface Round<Work> {
  works: readonly Work[]
  /** Works that are refused, or whose change is committed. */
  settled: Map<Work, Outcome>
}

async function attempts<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  { works, settled }: Round<Work>,
): Promise<void> {
  // Only a save is announced to the relay.
  const optimistic: Access<ChangeSet> = {
    connection: database.pool,
    save: (changeSets) => database.autocommit((pool) => store.save(pool, changeSets)),
  }
  let open = works
  for (let attempt = 0; attempt < optimisticAttempts && open.length > 0; attempt++) {
    const done = await attemptOnce(optimistic, store, open)
    open = settle(open, done, settled)
  }
  if (open.length === 0) return
  const done = await database.transaction(async (tx) => {
    await store.lock(tx, open)
    return attemptOnce(within(tx, store), store, open)
  })
  if (settle(open, done, settled).length > 0) throw versionMoved()
}

/** Where an attempt reads, and how it saves. */
interface Access<ChangeSet> {
  connection: CommonQueryMethods
  save: (changeSets: ReadonlyMap<string, ChangeSet>) => Promise<ReadonlySet<string>>
}

function within<Work, State, ChangeSet>(
  tx: Transaction,
  store: AggregateStore<Work, State, ChangeSet>,
): Access<ChangeSet> {
  return { connection: tx, save: (changeSets) => store.save(tx, changeSets) }
}

/** The outcomes of works that are done; the others met a version that has moved. */
async function attemptOnce<Work, State, ChangeSet>(
  { connection, save }: Access<ChangeSet>,
  store: AggregateStore<Work, State, ChangeSet>,
  works: readonly Work[],
): Promise<Map<Work, Outcome>> {
  const states = await store.read(connection, works)
  const changeSets = new Map<string, ChangeSet>()
  const decided = [...Map.groupBy(works, store.keyOf)].map(([key, some]) => {
    const { outcomes, changeSet } = store.decide(states.get(key), some)
    if (changeSet !== null) changeSets.set(key, changeSet)
    return { key, some, outcomes }
  })
  const saved = changeSets.size > 0 ? await save(changeSets) : new Set()
  const done = decided.filter(({ key }) => !changeSets.has(key) || saved.has(key))
  return new Map(
    done.flatMap(({ some, outcomes }) =>
      some.map((work, index): [Work, Outcome] => [work, outcomes[index] as Outcome]),
    ),
  )
}

function versionMoved(): Error {
  return new Error('a version moved under its row lock: a statement changed it past the writer')
}

function settle<Work>(
  open: readonly Work[],
  done: ReadonlyMap<Work, Outcome>,
  settled: Map<Work, Outcome>,
): Work[] {
  for (const [work, outcome] of done) settled.set(work, outcome)
  return open.filter((work) => !done.has(work))
}
