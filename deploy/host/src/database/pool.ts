import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { LostConnectionError } from '@coffer/kit/database/lost-connection'
import { unavailable } from '@coffer/kit/rpc/errors'
import { createSemaphore } from '@coffer/kit/service/semaphore'
import { ConnectError } from '@connectrpc/connect'
import { createPool, type DatabasePool, type Interceptor, SchemaValidationError, sql } from 'slonik'
import type { z } from 'zod'
import { connectionWait } from '../metrics.ts'
import { postgresDriver } from './postgres.client.ts'

export interface DatabaseOptions {
  /** postgres:// URL of the database. */
  url: string
  /** Schema whose tables statements name without a prefix. */
  schema: string
  poolSizeMax: number
  /** Time limit of a statement in ms, enforced by Postgres. */
  statementTimeoutMs: number
  /** Maximum wait of a statement or transaction for a connection, in ms; 3,000 unless set. */
  connectionWaitMs?: number
}

/**
 * Creates the pool of a service; connections open on first use. Statements throw unavailable (503)
 * when no connection is free within `connectionWaitMs`.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
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
    // One attempt to connect: the deadline of the caller leaves no time for more.
    connectionRetryLimit: 1,
    // The default, DISCARD ALL, halves the throughput. No statement changes the state of its
    // session.
    resetConnection: async () => {},
    interceptors: [nameStatements(sent), checkRows()],
  })
  // Slonik also emits the error of each failed statement; without a listener Node would throw the
  // error.
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

/** Methods of a pool that hold a connection while they run. */
const taking = [
  'any',
  'anyFirst',
  'connect',
  'exists',
  'many',
  'manyFirst',
  'maybeOne',
  'maybeOneFirst',
  'one',
  'oneFirst',
  'query',
  'record',
  'transaction',
] as const

/**
 * Limits the concurrent use of a pool, because slonik's queue for connections is unbounded. A wait
 * longer than `waitMsMax` throws unavailable before anything is sent. Waits are observed as
 * `coffer_database_wait_seconds`, labelled with the schema.
 */
function limitConnections(
  pool: DatabasePool,
  options: { schema: string; poolSizeMax: number; waitMsMax: number },
): DatabasePool {
  const connections = createSemaphore(options.poolSizeMax)
  const observed = connectionWait.labels({ schema: options.schema })
  const wait = async (): Promise<void> => {
    const startedAt = performance.now()
    const isAcquired = await connections.acquire(options.waitMsMax)
    observed.observe((performance.now() - startedAt) / 1000)
    if (!isAcquired) throw unavailable('the database is busy: try again later')
  }
  const limited = (method: (...parameters: never[]) => Promise<unknown>) => {
    return async (...parameters: never[]): Promise<unknown> => {
      if (connections.tryAcquire()) observed.observe(0)
      else await wait()
      try {
        return await method(...parameters)
      } finally {
        connections.release()
      }
    }
  }
  const methods = taking.map((name) => [name, limited(pool[name])])
  return Object.assign(Object.create(pool), Object.fromEntries(methods))
}

/**
 * Hides refusals from slonik, which serializes every error that ends a transaction. The details of
 * a ConnectError refer to the whole protobuf schema, and serializing them does not terminate.
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

/**
 * Asks Postgres for the status of a transaction whose COMMIT was not answered. Returns false when
 * Postgres cannot be asked or the transaction is still running.
 */
async function isCommitted(pool: DatabasePool, error: unknown): Promise<boolean> {
  if (!(error instanceof LostConnectionError && error.mayBeDone && error.transaction)) return false
  const { id, serverStartedAt } = error.transaction
  const asked = pool.exists(sql.unsafe`
    SELECT WHERE pg_xact_status(${id}::xid8) = 'committed'
      AND pg_postmaster_start_time()::text = ${serverStartedAt}`)
  return asked.catch(() => false)
}

/**
 * Adds the settings of every session to the URL: search path, and UTC. Other timezones can have
 * offsets with seconds, which Date cannot parse.
 */
function sessionUrl({ url, schema }: { url: string; schema: string }): string {
  const located = new URL(url)
  located.searchParams.set('options', `-c search_path=${schema} -c timezone=UTC`)
  return located.href
}

/**
 * Connection timeout, shorter than the default timeout of callers (5 s): they get a 503 in time.
 */
const connectMsMax = 4_000

/** Added to Postgres's statement timeout, for a server that no longer answers. */
const answerMarginMs = 2_000

const healthMs = 1_000

// Bound of the cache of statement names; a service has a few hundred texts. It evicts none, because
// each name denotes one text on every connection.
const textsMax = 1_000

/** Creates a health check that caches its result for a second, so that checks do not queue up. */
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

/** The name of a sent statement, and the number of times it was sent. */
interface Sent {
  name: string
  times: number
}

/**
 * Creates the interceptor of prepared statements: one name for each text, so that a connection
 * parses a text only once. Also counts the statements.
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

/** Validates and converts each row by the zod schema of its statement. */
function checkRows(): Interceptor {
  return {
    name: 'check-rows',
    transformRow: ({ resultParser }, query, row) => {
      if (!resultParser) return row
      const parsed = (resultParser as z.ZodType).safeParse(row)
      if (!parsed.success) throw new SchemaValidationError(query, row, parsed.error.issues as never)
      return parsed.data as typeof row
    },
  }
}
