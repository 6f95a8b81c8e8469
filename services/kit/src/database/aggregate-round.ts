import { IntegrityConstraintViolationError } from 'slonik'
import { unanswered } from '../rpc/errors.ts'
import { isOutage, isOutcomeUnknown } from '../rpc/fault.ts'
import { keyOf } from './aggregate-key.ts'
import type { AggregateStore, Decided, Locked, Outcome, Scoped } from './aggregate-store.ts'
import type { Database, Queries, Transaction } from './database.ts'

/** Maximum number of saves without an answer of Postgres per round; one more fails the round. */
const lostAnswersMax = 2

/** A work (requested change) without an outcome; `lost`: its save without an answer, or null. */
export interface UnsettledWork<Work, ChangeSet> {
  work: Work
  lost: Attempt<Work, ChangeSet> | null
}

/** Works (requested changes) that share one read and one save in Postgres. */
export interface Round<Work, ChangeSet> {
  works: readonly Work[]
  /** Results of the works that are done: committed or refused. */
  settled: Map<Work, Outcome>
  underWay: Attempt<Work, ChangeSet> | null
  /** Attempts whose save may be committed, because the connection broke before the answer. */
  unanswered: Attempt<Work, ChangeSet>[]
}

/** Creates a round for these works, with their earlier saves without an answer. */
export function createRound<Work, ChangeSet>(
  unsettled: readonly UnsettledWork<Work, ChangeSet>[],
): Round<Work, ChangeSet> {
  const lost = new Set(unsettled.flatMap((one) => (one.lost === null ? [] : [one.lost])))
  const works = unsettled.map(({ work }) => work)
  return { works, settled: new Map(), underWay: null, unanswered: [...lost] }
}

/** Works of one aggregate, with the results and the change set that their decision returned. */
interface DecidedWorks<Work, ChangeSet> extends Decided<ChangeSet> {
  key: string
  works: readonly Work[]
}

/** The decided works of one read and save, one element for each aggregate. */
export type Attempt<Work, ChangeSet> = readonly DecidedWorks<Work, ChangeSet>[]

/**
 * Commits or refuses all works of a round; returns their outcomes in order. If the shared statement
 * violates a constraint, the works run one by one, so that only the violating work is refused.
 * @throws unanswered (504) when it remains unknown whether a save is committed
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
    const open = listUnsettled(round)
    const outcomes = await oneByOne(open, (work) =>
      writeRound(database, store, { ...round, works: [work] }),
    )
    for (const [index, outcome] of outcomes.entries()) settled.set(open[index] as Work, outcome)
  }
  return works.flatMap((work) => settled.get(work) ?? [])
}

/** Writes works one after another. If `write` throws for a work, its outcome is rejected. */
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
  for (let isFirst = true; listUnsettled(round).length > 0; isFirst = false) {
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

/** Optimistic concurrency: reads without locks, then saves by compare-and-set on the version. */
export async function attemptOnce<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
  locked: Locked,
): Promise<void> {
  const attempt = await decideOn(database.pool, store, listUnsettled(round))
  round.underWay = attempt
  const save = (pool: Queries) => saveAttempt(pool, store, attempt, locked)
  // Only a save that emits events has to wake the outbox relay.
  const emitsEvents = listChangeSets(attempt).some(store.hasEvents)
  settle(round, attempt, emitsEvents ? await database.autocommit(save) : await save(database.pool))
}

/**
 * Pessimistic concurrency: reads, decides and saves under row locks. An earlier save without an
 * answer has ended when the locks are granted, so its result can be looked up. If that save reaches
 * Postgres later, it has no effect, because the version has changed.
 */
async function attemptLocked<Work extends Scoped, State, ChangeSet>(
  database: Database,
  store: AggregateStore<Work, State, ChangeSet>,
  round: Round<Work, ChangeSet>,
): Promise<void> {
  const { attempt, saved } = await database.transaction(async (tx) => {
    await store.lock(tx, listScopes(listUnsettled(round)))
    for (const earlier of round.unanswered) {
      settle(round, earlier, await store.findSaved(tx, listChangeSets(earlier)))
    }
    const attempt = await decideOn(tx, store, listUnsettled(round))
    round.underWay = attempt
    return { attempt, saved: await saveAttempt(tx, store, attempt, 'wait') }
  })
  settle(round, attempt, saved)
  if (listUnsettled(round).length > 0) throw versionMoved()
}

/** Decides and saves one work in a transaction that already holds the row lock. */
export async function writeLocked<Work extends Scoped, State, ChangeSet>(
  tx: Transaction,
  store: AggregateStore<Work, State, ChangeSet>,
  work: Work,
): Promise<Outcome> {
  const attempt = await decideOn(tx, store, [work])
  const outcome = findDone(attempt, await saveAttempt(tx, store, attempt, 'wait')).get(work)
  if (!outcome) throw versionMoved()
  return outcome
}

function listScopes<Work extends Scoped>(works: readonly Work[]): Work['scope'][] {
  return works.map(({ scope }) => scope)
}

async function decideOn<Work extends Scoped, State, ChangeSet>(
  connection: Queries,
  store: AggregateStore<Work, State, ChangeSet>,
  open: readonly Work[],
): Promise<Attempt<Work, ChangeSet>> {
  const states = open.length > 0 ? await store.read(connection, listScopes(open)) : new Map()
  return [...Map.groupBy(open, ({ scope }) => keyOf(scope))].map(([key, works]) => {
    return { key, works, ...store.decide(states.get(key), works) }
  })
}

const none: ReadonlySet<string> = new Set()

async function saveAttempt<Work extends Scoped, State, ChangeSet>(
  connection: Queries,
  store: AggregateStore<Work, State, ChangeSet>,
  attempt: Attempt<Work, ChangeSet>,
  locked: Locked,
): Promise<ReadonlySet<string>> {
  const changeSets = listChangeSets(attempt)
  return changeSets.length > 0 ? store.save(connection, changeSets, locked) : none
}

function listChangeSets<ChangeSet>(attempt: Attempt<unknown, ChangeSet>): ChangeSet[] {
  return attempt.flatMap(({ changeSet }) => (changeSet === null ? [] : [changeSet]))
}

/** Returns the outcomes of works whose change set is saved, or that had nothing to save. */
function findDone<Work, ChangeSet>(
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

function listUnsettled<Work, ChangeSet>({ works, settled }: Round<Work, ChangeSet>): Work[] {
  return works.filter((work) => !settled.has(work))
}

function settle<Work, ChangeSet>(
  { settled }: Round<Work, ChangeSet>,
  attempt: Attempt<Work, ChangeSet>,
  saved: ReadonlySet<string>,
): void {
  for (const [work, outcome] of findDone(attempt, saved)) settled.set(work, outcome)
}
