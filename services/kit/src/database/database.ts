import { setTimeout as sleep } from 'node:timers/promises'
import { ConnectError } from '@connectrpc/connect'
import {
  createPool,
  type DatabasePool,
  type DatabaseTransactionConnection,
  type Interceptor,
  SchemaValidationError,
  sql,
} from 'slonik'
import type { z } from 'zod'
import { limitConnections } from '../rpc/connection-limiter.ts'
import { LostConnectionError, postgresDriver } from './postgres.client.ts'

export type Transaction = DatabaseTransactionConnection

export interface DatabaseOptions {
  /** postgres:// URL of the database. */
  url: string
  /** Schema whose tables statements name without a prefix. */
  schema: string
  poolSizeMax: number
  /** Postgres ends a statement after this time. */
  statementTimeoutMs: number
  /** How long a statement or transaction may wait for a connection; 3 s unless set. */
  connectionWaitMs?: number
}

/** A pool of connections to one service's tables. */
export interface Database extends AsyncDisposable {
  pool: DatabasePool
  /**
   * Statements sent so far, with BEGIN and COMMIT, but for those of a kind; tests compare
   * it before and after.
   */
  statements: (except?: RegExp) => number
  /** The different statements sent so far, as written; tests ask Postgres for their plans. */
  texts: () => string[]
  /** Runs after a transaction that recorded changes has committed; the relay listens here. */
  onChanges: (listener: () => void) => void
  /**
   * One transaction. The callback holds nothing but SQL: it runs again (up to five times) on a
   * serialization fault.
   */
  transaction: <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>
  /** One statement that is a transaction by itself and records changes. */
  autocommit: <T>(run: (pool: DatabasePool) => Promise<T>) => Promise<T>
  /** Whether the database answers within a second; an answer is good for a second. */
  isHealthy: () => Promise<boolean>
}

/** Opens the pool; connections are made when they are first needed. */
export async function openDatabase(options: DatabaseOptions): Promise<Database> {
  let transactions = 0
  const sent = new Map<string, Sent>()
  const listeners: (() => void)[] = []
  const { schema, poolSizeMax, statementTimeoutMs, connectionWaitMs = 3_000 } = options
  const connections = await createPool(sessionUrl(options), {
    driverFactory: postgresDriver({ answerMsMax: statementTimeoutMs + answerMarginMs }),
    maxPoolSize: poolSizeMax,
    statementTimeout: statementTimeoutMs,
    idleInTransactionSessionTimeout: statementTimeoutMs * 2,
    idleTimeout: 60_000,
    connectionTimeout: connectMsMax,
    // One attempt: the caller's deadline leaves no time for more.
    connectionRetryLimit: 1,
    // The default DISCARD ALL costs half the throughput; nothing here changes session state.
    resetConnection: async () => {},
    interceptors: [nameStatements(sent), checkRows()],
  })
  // Every failed statement is emitted too; without a listener that would hide the thrown error.
  connections.on('error', () => {})
  const pool = limitConnections(connections, { schema, poolSizeMax, waitMsMax: connectionWaitMs })
  return {
    pool,
    statements: (except) => {
      const counted = [...sent].filter(([text]) => !except?.test(text))
      return counted.reduce((sum, [, { times }]) => sum + times, 2 * transactions)
    },
    texts: () => [...sent.keys()],
    onChanges: (listener) => listeners.push(listener),
    transaction: async (run) => {
      const result = await rollBackPlainly(pool, run)
      transactions++
      for (const listener of listeners) listener()
      return result
    },
    autocommit: async (run) => {
      const result = await run(pool)
      for (const listener of listeners) listener()
      return result
    },
    isHealthy: healthCheck(pool),
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/**
 * Keeps what `run` refuses with away from slonik, which serializes every error that ends a
 * transaction: the details of one refer to the whole schema, and it never comes to an end.
 */
async function rollBackPlainly<T>(
  pool: DatabasePool,
  run: (tx: Transaction) => Promise<T>,
): Promise<T> {
  const rollBack = new Error('rolled back')
  let refusal: unknown
  let done = null as { result: T } | null
  try {
    return await pool.transaction(async (tx) => {
      done = null
      try {
        done = { result: await run(tx) }
        return done.result
      } catch (error) {
        if (!(error instanceof ConnectError)) throw error
        refusal = error
        throw rollBack
      }
    })
  } catch (error) {
    if (done && (await isCommitted(pool, error))) return done.result
    throw error === rollBack ? refusal : error
  }
}

/** Whether Postgres has committed all the same; false if it cannot be asked, or is not done. */
async function isCommitted(pool: DatabasePool, error: unknown): Promise<boolean> {
  if (!(error instanceof LostConnectionError && error.mayBeDone && error.transaction)) return false
  const { id, serverStartedAt } = error.transaction
  const asked = pool.exists(sql.unsafe`
    SELECT WHERE pg_xact_status(${id}::xid8) = 'committed'
      AND pg_postmaster_start_time()::text = ${serverStartedAt}`)
  return asked.catch(() => false)
}

/**
 * The URL with what every session of a service sets. Sessions are in UTC: with odd offsets instants
 * would come in a form Date cannot read.
 */
function sessionUrl({ url, schema }: { url: string; schema: string }): string {
  const located = new URL(url)
  located.searchParams.set('options', `-c search_path=${schema} -c timezone=UTC`)
  return located.href
}

/** Shorter than the 5 s that a caller waits by default: then it is told that nothing was done. */
const connectMsMax = 4_000

/** Postgres itself ends a statement in time, unless it is not heard of any more. */
const answerMarginMs = 2_000

const healthMs = 1_000

// Of the texts that are named and counted; there are some hundred.
const textsMax = 1_000

/** Answers are good for a second and shared, so that checks do not pile up on a lost database. */
function healthCheck(pool: DatabasePool): () => Promise<boolean> {
  let answer = Promise.resolve(false)
  let askedAt = Number.NEGATIVE_INFINITY
  return () => {
    if (performance.now() - askedAt < healthMs) return answer
    askedAt = performance.now()
    const alive = pool.query(sql.unsafe`SELECT 1`)
    answer = Promise.race([
      alive.then(
        () => true,
        () => false,
      ),
      sleep(healthMs, false, { ref: false }),
    ])
    return answer
  }
}

/** A statement that was sent: its name, and how many times. */
interface Sent {
  name: string
  times: number
}

/**
 * Names each statement by its text, so that Postgres parses and plans it once a connection, and
 * counts it.
 */
function nameStatements(sent: Map<string, Sent>): Interceptor {
  return {
    name: 'name-statements',
    transformQuery: (_context, query) => {
      let known = sent.get(query.sql)
      if (!known) {
        if (sent.size >= textsMax) return query
        known = { name: `s${sent.size}`, times: 0 }
        sent.set(query.sql, known)
      }
      known.times++
      return { ...query, name: known.name }
    },
  }
}

/** Checks and converts every row by the schema its statement was written with. */
function checkRows(): Interceptor {
  return {
    name: 'check-rows',
    transformRow: ({ resultParser }, query, row) => {
      if (!resultParser) return row
      const parsed = (resultParser as z.ZodType).safeParse(row)
      if (!parsed.success) {
        throw new SchemaValidationError(query, row, parsed.error.issues as never)
      }
      return parsed.data as typeof row
    },
  }
}
