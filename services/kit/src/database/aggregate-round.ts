import { type CommonQueryMethods, IntegrityConstraintViolationError } from 'slonik'
import { unanswered } from '../rpc/errors.ts'
import { isOutage, isOutcomeUnknown } from '../rpc/fault.ts'
import { keyOf } from './aggregate-key.ts'
import type { AggregateStore, Decided, Locked, Outcome, Scoped } from './aggregate-store.ts'
import type { Database, Transaction } from './database.ts'

/** Saves of a round whose answer may be lost; with one more the round fails. */
const lostAnswersMax = 2

/** A work that a shared round did not settle, with the save that Postgres may have committed. */
export interface GoingOn<Work, ChangeSet> {
  work: Work
  lost: Attempt<Work, ChangeSet> | null
}

/** Works of which each is to be settled: refused, or its change committed. */
export interface Round<Work, ChangeSet> {
  works: readonly Work[]
  /** Works that are refused, or whose change is committed. */
  settled: Map<Work, Outcome>
  /** The attempt that is being saved. */
  underWay: Attempt<Work, ChangeSet> | null
  /** Attempts that Postgres may have committed: the connection was lost before its answer. */
  unanswered: Attempt<Work, ChangeSet>[]
}

export function roundOf<Work, ChangeSet>(
  going: readonly GoingOn<Work, ChangeSet>[],
): Round<Work, ChangeSet> {
  const lost = new Set(going.flatMap((one) => (one.lost === null ? [] : [one.lost])))
  const works = going.map(({ work }) => work)
  return { works, settled: new Map(), underWay: null, unanswered: [...lost] }
}

/** Works of one aggregate, decided on the rows that were read. */
interface DecidedWorks<Work, ChangeSet> extends Decided<ChangeSet> {
  key: string
  works: readonly Work[]
}

/** Decisions of one round, an aggregate each. */
export type Attempt<Work, ChangeSet> = readonly DecidedWorks<Work, ChangeSet>[]

/**
 * One round. An integrity violation (a repeated key) fails the statement of all: works that are not
 * committed by then run one by one, so that only the cause of it is refused.
 */
export async function writeRound<Work extends Scoped, State, ChangeSet>(
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

export async function oneByOne<Work>(
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

async function settleAll<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<void> {
  for (let isFirst = true; openOf(round).length > 0; isFirst = false) {
    const isOptimistic = isFirst && round.unanswered.length === 0
    round.underWay = null
    try {
      if (isOptimistic) await attemptOnce(database, store, round, 'wait')
      else await attemptLocked(database, store, round)
    } catch (error) {
      const { underWay, unanswered: lost } = round
      if (underWay && isOutcomeUnknown(error) && lost.length < lostAnswersMax) lost.push(underWay)
      else if (lost.length === 0 || !isOutage(error)) throw error
      else throw unanswered('the connection to the database was lost')
    }
  }
}

/** Reads, decides and saves without locks. */
export async function attemptOnce<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
  locked: Locked,
): Promise<void> {
  const attempt = await decideOn(database.pool, store, openOf(round))
  round.underWay = attempt
  const save = (pool: CommonQueryMethods) => saveOf(pool, store, attempt, locked)
  // Only a save of events is announced to the relay.
  const isTold = changeSetsOf(attempt).some(store.hasEvents)
  settle(round, attempt, isTold ? await database.autocommit(save) : await save(database.pool))
}

/**
 * Reads, decides and saves under the row locks. Where the answer to an earlier save was lost, the
 * lock waits until Postgres is done with that save, and then it is looked for. One that reaches
 * Postgres even later saves nothing: by then the version has moved.
 */
async function attemptLocked<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<void> {
  const { attempt, saved } = await database.transaction(async (tx) => {
    await store.lock(tx, scopesOf(openOf(round)))
    for (const earlier of round.unanswered) {
      settle(round, earlier, await store.findSaved(tx, changeSetsOf(earlier)))
    }
    const attempt = await decideOn(tx, store, openOf(round))
    round.underWay = attempt
    return { attempt, saved: await saveOf(tx, store, attempt, 'wait') }
  })
  settle(round, attempt, saved)
  if (openOf(round).length > 0) throw versionMoved()
}

/** Carries out one work in a transaction that holds the row lock. */
export async function writeLocked<Work extends Scoped, State, ChangeSet>(
  tx: Transaction,
  store: AggregateStore<Work, State, ChangeSet>,
  work: Work,
): Promise<Outcome> {
  const attempt = await decideOn(tx, store, [work])
  const outcome = doneOf(attempt, await saveOf(tx, store, attempt, 'wait')).get(work)
  if (!outcome) throw versionMoved()
  return outcome
}

function scopesOf<Work extends Scoped>(works: readonly Work[]): Work['scope'][] {
  return works.map(({ scope }) => scope)
}

async function decideOn<Work extends Scoped, State, ChangeSet>(
  connection: CommonQueryMethods,
  store: AggregateStore<Work, State, ChangeSet>,
  open: readonly Work[],
): Promise<Attempt<Work, ChangeSet>> {
  const states = open.length > 0 ? await store.read(connection, scopesOf(open)) : new Map()
  return [...Map.groupBy(open, ({ scope }) => keyOf(scope))].map(([key, works]) => {
    return { key, works, ...store.decide(states.get(key), works) }
  })
}

const none: ReadonlySet<string> = new Set()

async function saveOf<Work extends Scoped, State, ChangeSet>(
  connection: CommonQueryMethods,
  store: AggregateStore<Work, State, ChangeSet>,
  attempt: Attempt<Work, ChangeSet>,
  locked: Locked,
): Promise<ReadonlySet<string>> {
  const changeSets = changeSetsOf(attempt)
  return changeSets.length > 0 ? store.save(connection, changeSets, locked) : none
}

function changeSetsOf<ChangeSet>(attempt: Attempt<unknown, ChangeSet>): ChangeSet[] {
  return attempt.flatMap(({ changeSet }) => (changeSet === null ? [] : [changeSet]))
}

/** The outcomes of works that are done; the others met a version that has moved. */
function doneOf<Work, ChangeSet>(
  attempt: Attempt<Work, ChangeSet>,
  saved: ReadonlySet<string>,
): Map<Work, Outcome> {
  const done = attempt.filter(({ key, changeSet }) => changeSet === null || saved.has(key))
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
