import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Queries, Transaction } from '@coffer/kit/database/database'
import { read } from '@coffer/kit/database/statement'
import { LostConnectionError } from '@coffer/kit/rpc/lost-connection'
import { sql } from 'slonik'
import { z } from 'zod'
import { isUnprepared } from '../postgres/pipeline.client.ts'
import type { Found, Statement } from '../postgres/statement.ts'
import { requireTls } from './connection.ts'
import { createConnections } from './connections.ts'
import { type Connection, openConnection } from './postgres.client.ts'
import { createQueries, nameStatements } from './queries.ts'
import { traceStatements } from './statement-spans.ts'

/** Kind of connection pooler between Coffer and Postgres. */
export type Pooler = 'none' | 'transaction'

export interface DatabaseOptions {
  url: string
  /** Postgres schema of the service's tables (search_path). */
  schema: string
  poolSizeMax: number
  /** Time limit of a statement in ms, enforced by Postgres. */
  statementTimeoutMs: number
  /**
   * `transaction` if the URL points to a pooler that assigns a connection for each transaction:
   * named statements and startup parameters are then not used. `none` by default.
   */
  pooler?: Pooler
  /** Maximum wait in ms for a free connection; 3,000 by default. */
  connectionWaitMs?: number
  /** Replaces the clock of the server in tests. */
  serverClock?: () => Date
  /**
   * Called with each statement that is sent, including BEGIN and COMMIT, so that tests can count
   * them. The host does not pass it to background work.
   */
  onStatement?: (text: string, schema: string, isRead: boolean) => void
}

/**
 * Creates a service's connection pool; connections open on first use. Statements throw unavailable
 * (503) when none is free within `connectionWaitMs`.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  requireTls(options.url)
  const { schema, poolSizeMax, statementTimeoutMs, connectionWaitMs = 3_000, onStatement } = options
  const isPooled = options.pooler === 'transaction'
  const opening = (url: string) => () =>
    openConnection({
      url,
      statementTimeoutMs,
      pooledSchema: isPooled ? schema : null,
      onStatement: onStatement ? (text, isRead) => onStatement(text, schema, isRead) : null,
    })
  const connections = createConnections({
    schema,
    sizeMax: poolSizeMax,
    waitMsMax: connectionWaitMs,
    isSharing: !isPooled,
    open: {
      exclusive: opening(isPooled ? options.url : sessionUrl(options)),
      shared: opening(sessionUrl(options, genericPlans)),
    },
  })
  let answeredAt = performance.now()
  const trace = traceStatements(schema)
  const nameOf = isPooled ? () => undefined : nameStatements()
  const sendOn = async (connection: Connection, statement: Statement): Promise<Found> => {
    const found = await trace(statement.text, () => connection.send(statement))
    answeredAt = performance.now()
    return found
  }
  const queriesOn = (connection: Connection): Queries =>
    createQueries((statement) => sendOn(connection, statement), nameOf)
  const alone = createQueries((statement) => {
    const take = statement.isRead ? connections.shared : connections.exclusive
    return repeated(() => take((connection) => sendOn(connection, statement)))
  }, nameOf)
  const pool: Database['pool'] = {
    ...alone,
    connect: (run) => connections.exclusive((connection) => run(queriesOn(connection))),
  }
  const listeners: (() => void)[] = []
  const committed = <T>(result: T): T => {
    for (const listener of listeners) listener()
    return result
  }
  return {
    pool,
    onChanges: (listener) => listeners.push(listener),
    transaction: async (run) => {
      const work = () =>
        connections.exclusive((connection) => transact(connection, queriesOn(connection), run))
      return committed(await lookedUp(pool, () => repeated(work)))
    },
    autocommit: async (run) => committed(await run(pool)),
    isHealthy: healthCheck(pool),
    answeredAt: () => answeredAt,
    now: async () => options.serverClock?.() ?? pool.oneFirst(serverTime),
    [Symbol.asyncDispose]: () => connections[Symbol.asyncDispose](),
  }
}

const repeatsMax = 5
const pauseMsMax = 5

/**
 * Retries work that Postgres has rolled back because of concurrent work (SQLSTATE class 40), or
 * whose prepared statement has to be prepared again.
 */
async function repeated<T>(run: () => Promise<T>): Promise<T> {
  for (let left = repeatsMax; ; left--) {
    try {
      return await run()
    } catch (error) {
      if (left === 0 || !(isRolledBack(error) || isUnprepared(error))) throw error
      // Jitter: works that have deadlocked would meet again if they restarted at the same moment.
      await sleep(Math.random() * pauseMsMax * (1 + repeatsMax - left))
    }
  }
}

function isRolledBack(error: unknown): boolean {
  const { code } = error as { code?: unknown }
  return typeof code === 'string' && code.startsWith('40')
}

/** A COMMIT without an answer; contains the result to return if it has succeeded. */
class UnansweredCommit extends Error {
  readonly lost: LostConnectionError
  readonly result: unknown

  constructor(lost: LostConnectionError, result: unknown) {
    super(lost.message)
    this.lost = lost
    this.result = result
  }
}

/** Runs one transaction on a connection. Throws UnansweredCommit if its outcome is unknown. */
async function transact<T>(
  connection: Connection,
  queries: Queries,
  run: (tx: Transaction) => Promise<T>,
): Promise<T> {
  let result: T
  try {
    await connection.begin()
    result = await run({ ...queries, isTransaction: true })
  } catch (error) {
    // If ROLLBACK fails, closing the connection rolls back.
    if (!connection.isLost()) await connection.finish('ROLLBACK').catch(() => connection.end())
    throw error
  }
  try {
    await connection.finish('COMMIT')
    return result
  } catch (error) {
    if (error instanceof LostConnectionError) throw new UnansweredCommit(error, result)
    throw error
  }
}

/**
 * Runs a transaction. If COMMIT got no answer, looks its outcome up; returns the result if
 * committed.
 */
async function lookedUp<T>(pool: Queries, run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    if (!(error instanceof UnansweredCommit)) throw error
    if (await isCommitted(pool, error.lost)) return error.result as T
    throw error.lost
  }
}

/**
 * Returns whether a transaction whose COMMIT got no answer is committed, by asking Postgres.
 * Returns false if it is still running or Postgres does not answer.
 */
async function isCommitted(pool: Queries, lost: LostConnectionError): Promise<boolean> {
  if (!(lost.mayBeDone && lost.transaction)) return false
  const { id, serverStartedAt } = lost.transaction
  const asked = pool.exists(sql.unsafe`
    SELECT WHERE pg_xact_status(${id}::xid8) = 'committed'
      AND pg_postmaster_start_time()::text = ${serverStartedAt}`)
  return asked.catch(() => false)
}

/**
 * Generic plans: Postgres plans a prepared read once for all values, since an index bounds its
 * cost. By default Postgres compares the generic plan with the average cost of earlier plans. A
 * connection opened when tables were small may then plan a read at each run, which costs more than
 * the read.
 */
const genericPlans = ' -c plan_cache_mode=force_generic_plan'

/**
 * Adds session settings to the URL: the search path, and UTC as timezone, because offsets of other
 * timezones may have seconds, which Date cannot parse.
 */
function sessionUrl({ url, schema }: { url: string; schema: string }, more = ''): string {
  const located = new URL(url)
  located.searchParams.set('options', `-c search_path=${schema} -c timezone=UTC${more}`)
  return located.href
}

const serverTime = read(z.object({ now: z.date() }))`SELECT now()`
// Not tagged as a short read, because the shared connections of short reads may not be open yet.
const alive = sql.unsafe`SELECT 1`

const healthMs = 1_000

/** Creates a health check that caches its result for a second, so that checks do not pile up. */
function healthCheck(pool: Queries): () => Promise<boolean> {
  let answer = Promise.resolve(false)
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - askedAt < healthMs) return answer
    askedAt = performance.now()
    answer = Promise.race([
      pool.query(alive).then(
        () => true,
        () => false,
      ),
      waitTurns(healthMs).then(() => false),
    ])
    return answer
  }
}

/**
 * Waits for at least `ms`, in ten steps, so that an answer is not missed while a long task blocks
 * the event loop, as at the start of the process. Only the current step is overdue after the task,
 * and the event loop reads the answers that have arrived before the last step ends.
 */
async function waitTurns(ms: number): Promise<void> {
  for (let step = 0; step < 10; step++) await sleep(ms / 10, undefined, { ref: false })
}
