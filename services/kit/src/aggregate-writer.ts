import { type CommonQueryMethods, IntegrityConstraintViolationError } from 'slonik'
import { createBatcher } from './batch.ts'
import type { Database, Transaction } from './database.ts'
import { unanswered } from './errors.ts'
import { isOutage, isOutcomeUnknown } from './fault.ts'

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
  /** The keys of those change sets that are committed, by rows that no other save can write. */
  findSaved: (
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
/** Saves of a round whose answer may be lost; with one more the round fails. */
const lostAnswersMax = 2

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
  const write = (works: readonly Work[]) =>
    writeRound(database, store, { works, settled: new Map(), underWay: null, unanswered: [] })
  const lineUp = createBatcher<Work, unknown>((_key, works) => {
    return works.some(store.isAlone) ? oneByOne(works, (work) => write([work])) : write(works)
  }, lineLimits)
  return {
    run: async (works, signal) => {
      const keys = new Set(works.map(store.keyOf))
      if (keys.size > 1) return write(works)
      return Promise.allSettled(works.map((work) => lineUp(store.keyOf(work), work, signal)))
    },
    runLocked: async (tx, work) => {
      const attempt = await decideOn(tx, store, [work])
      const outcome = doneOf(attempt, await saveOf(tx, store, attempt)).get(work)
      if (!outcome) throw versionMoved()
      return outcome
    },
  }
}

interface Round<Work, ChangeSet> {
  works: readonly Work[]
  /** Works that are refused, or whose change is committed. */
  settled: Map<Work, Outcome>
  /** The attempt that is being saved. */
  underWay: Attempt<Work, ChangeSet> | null
  /** Attempts that Postgres may have committed: the connection was lost before its answer. */
  unanswered: Attempt<Work, ChangeSet>[]
}

/** What works came to on the rows that were read. */
interface Attempt<Work, ChangeSet> {
  decided: readonly { key: string; works: readonly Work[]; outcomes: readonly Outcome[] }[]
  changeSets: ReadonlyMap<string, ChangeSet>
}

/**
 * One round. An integrity violation (a repeated key) fails the statement of all: works that are not
 * committed by then run one by one, so that only the cause of it is refused.
 */
async function writeRound<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<Outcome[]> {
  const { works, settled } = round
  try {
    await settleAll(database, store, round)
  } catch (error) {
    if (works.length === 1 || !(error instanceof IntegrityConstraintViolationError)) throw error
    const open = openOf(round)
    const outcomes = await oneByOne(open, (work) =>
      writeRound(database, store, { ...round, works: [work] }),
    )
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

async function settleAll<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<void> {
  for (let attempts = 0; openOf(round).length > 0; attempts++) {
    const isOptimistic = attempts < optimisticAttempts && round.unanswered.length === 0
    round.underWay = null
    try {
      await (isOptimistic ? attemptOnce : attemptLocked)(database, store, round)
    } catch (error) {
      const { underWay, unanswered: lost } = round
      if (underWay && isOutcomeUnknown(error) && lost.length < lostAnswersMax) lost.push(underWay)
      else if (lost.length === 0 || !isOutage(error)) throw error
      else throw unanswered('the connection to the database was lost')
    }
  }
}

async function attemptOnce<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<void> {
  const attempt = await decideOn(database.pool, store, openOf(round))
  round.underWay = attempt
  // Only a save is announced to the relay.
  const isSaved = attempt.changeSets.size > 0
  const saved = isSaved ? await database.autocommit((pool) => saveOf(pool, store, attempt)) : none
  settle(round, attempt, saved)
}

/**
 * Reads, decides and saves under the row locks. Where the answer to an earlier save was lost, the
 * lock waits until Postgres is done with that save, and then it is looked for. One that reaches
 * Postgres even later saves nothing: by then the version has moved.
 */
async function attemptLocked<Work, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<void> {
  const { attempt, saved } = await database.transaction(async (tx) => {
    await store.lock(tx, openOf(round))
    for (const earlier of round.unanswered) {
      settle(round, earlier, await store.findSaved(tx, earlier.changeSets))
    }
    const attempt = await decideOn(tx, store, openOf(round))
    round.underWay = attempt
    return { attempt, saved: await saveOf(tx, store, attempt) }
  })
  settle(round, attempt, saved)
  if (openOf(round).length > 0) throw versionMoved()
}

async function decideOn<Work, State, ChangeSet>(
  connection: CommonQueryMethods,
  store: AggregateStore<Work, State, ChangeSet>,
  open: readonly Work[],
): Promise<Attempt<Work, ChangeSet>> {
  const states = open.length > 0 ? await store.read(connection, open) : new Map()
  const changeSets = new Map<string, ChangeSet>()
  const decided = [...Map.groupBy(open, store.keyOf)].map(([key, works]) => {
    const { outcomes, changeSet } = store.decide(states.get(key), works)
    if (changeSet !== null) changeSets.set(key, changeSet)
    return { key, works, outcomes }
  })
  return { decided, changeSets }
}

const none: ReadonlySet<string> = new Set()

async function saveOf<Work, State, ChangeSet>(
  connection: CommonQueryMethods,
  store: AggregateStore<Work, State, ChangeSet>,
  { changeSets }: Attempt<Work, ChangeSet>,
): Promise<ReadonlySet<string>> {
  return changeSets.size > 0 ? store.save(connection, changeSets) : none
}

/** The outcomes of works that are done; the others met a version that has moved. */
function doneOf<Work, ChangeSet>(
  { decided, changeSets }: Attempt<Work, ChangeSet>,
  saved: ReadonlySet<string>,
): Map<Work, Outcome> {
  const done = decided.filter(({ key }) => !changeSets.has(key) || saved.has(key))
  return new Map(
    done.flatMap(({ works, outcomes }) =>
      works.map((work, index): [Work, Outcome] => [work, outcomes[index] as Outcome]),
    ),
  )
}

function versionMoved(): Error {
  return new Error('a version moved under its row lock: a statement changed it past the writer')
}

function openOf<Work, ChangeSet>({ works, settled }: Round<Work, ChangeSet>): Work[] {
  return works.filter((work) => !settled.has(work))
}

function settle<Work, ChangeSet>(
  { settled }: Round<Work, ChangeSet>,
  attempt: Attempt<Work, ChangeSet>,
  saved: ReadonlySet<string>,
): void {
  for (const [work, outcome] of doneOf(attempt, saved)) settled.set(work, outcome)
}
