import { setTimeout as sleep } from 'node:timers/promises'
import type { Database, Transaction } from '@coffer/kit/database/database'
import { unavailable } from '@coffer/kit/rpc/errors'
import { LostConnectionError } from '@coffer/kit/rpc/lost-connection'
import { createSemaphore } from '@coffer/kit/service/semaphore'
import { isTracing } from '@coffer/kit/telemetry/trace'
import { ConnectError } from '@connectrpc/connect'
import { createPool, type DatabasePool, type Interceptor, SchemaValidationError, sql } from 'slonik'
import { z } from 'zod'
import { observeConnectionWait } from '../metrics.ts'
import { requireTls } from './connection.ts'
import { postgresDriver } from './postgres.client.ts'
import { idleInTransactionMs } from './service-role.ts'
import { traceStatements } from './statement-spans.ts'

/** Kind of the pooler between Coffer and Postgres. */
export type Pooler = 'none' | 'transaction'

export interface DatabaseOptions {
  url: string
  /** Postgres schema of the service's tables (search_path). */
  schema: string
  poolSizeMax: number
  /** Time limit of a statement in ms, enforced by Postgres. */
  statementTimeoutMs: number
  /**
   * `transaction` if the URL leads to a pooler that gives connections to transactions: named
   * statements and startup parameters are not used. `none` by default.
   */
  pooler?: Pooler
  /** Maximum wait in ms for a free connection; 3,000 by default. */
  connectionWaitMs?: number
  /** Replaces the clock of the server in tests. */
  serverClock?: () => Date
  /**
   * Called with each statement that is sent, BEGIN and COMMIT included: tests count them. The host
   * leaves out those of its background work.
   */
  onStatement?: (text: string, schema: string) => void
}

/**
 * Creates a service's connection pool; connections open on first use. Statements throw unavailable
 * (503) when none is free within `connectionWaitMs`.
 */
export async function createDatabase(options: DatabaseOptions): Promise<Database> {
  requireTls(options.url)
  const listeners: (() => void)[] = []
  const { schema, poolSizeMax, statementTimeoutMs, connectionWaitMs = 3_000, onStatement } = options
  const isPooled = options.pooler === 'transaction'
  const connections = await createPool(isPooled ? options.url : sessionUrl(options), {
    driverFactory: postgresDriver({
      answerMsMax: statementTimeoutMs + answerMarginMs,
      pooledSchema: isPooled ? schema : null,
      onStatement: onStatement ? (text) => onStatement(text, schema) : null,
    }),
    maxPoolSize: poolSizeMax,
    statementTimeout: statementTimeoutMs,
    idleInTransactionSessionTimeout: idleInTransactionMs(statementTimeoutMs),
    idleTimeout: 60_000,
    connectionTimeout: connectMsMax,
    // One attempt: the caller's deadline leaves no time for a second.
    connectionRetryLimit: 1,
    // Slonik's default, DISCARD ALL, halves the throughput; no statement changes session state.
    resetConnection: async () => {},
    interceptors: [
      ...(isPooled ? [] : [nameStatements()]),
      checkRows(),
      ...(isTracing() ? [traceStatements(schema)] : []),
    ],
  })
  // Failed statements emit 'error' on the pool. Without a listener, Node would throw.
  connections.on('error', () => {})
  let answeredAt = performance.now()
  const pool = limitConnections(connections, {
    schema,
    poolSizeMax,
    waitMsMax: connectionWaitMs,
    onAnswer: () => {
      answeredAt = performance.now()
    },
  })
  return {
    pool,
    onChanges: (listener) => listeners.push(listener),
    transaction: async (run) => {
      const result = await rollBackPlainly(pool, run)
      for (const listener of listeners) listener()
      return result
    },
    autocommit: async (run) => {
      const result = await run(pool)
      for (const listener of listeners) listener()
      return result
    },
    isHealthy: healthCheck(pool),
    answeredAt: () => answeredAt,
    now: async () => options.serverClock?.() ?? pool.oneFirst(serverTime),
    [Symbol.asyncDispose]: () => pool.end(),
  }
}

/** Methods of slonik's pool that hold a connection while they run. */
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
 * Limits the concurrent use of a connection pool, because slonik's queue is unbounded. Waiting
 * longer than `waitMsMax` throws unavailable, before anything is sent. Records waits in
 * `coffer_database_wait_seconds`, by schema.
 */
function limitConnections(
  pool: DatabasePool,
  options: { schema: string; poolSizeMax: number; waitMsMax: number; onAnswer: () => void },
): DatabasePool {
  const connections = createSemaphore(options.poolSizeMax)
  const { schema } = options
  const wait = async (): Promise<void> => {
    const startedAt = performance.now()
    const isAcquired = await connections.acquire(options.waitMsMax)
    observeConnectionWait((performance.now() - startedAt) / 1000, schema)
    if (!isAcquired) throw unavailable('the database is busy: try again later')
  }
  const limited = (method: (...parameters: never[]) => Promise<unknown>) => {
    return async (...parameters: never[]): Promise<unknown> => {
      if (connections.tryAcquire()) observeConnectionWait(0, schema)
      else await wait()
      try {
        const result = await method(...parameters)
        options.onAnswer()
        return result
      } finally {
        connections.release()
      }
    }
  }
  const methods = taking.map((name) => [name, limited(pool[name])])
  return Object.assign(Object.create(pool), Object.fromEntries(methods))
}

/**
 * Runs a transaction. If `run` throws a ConnectError, rolls back with a plain error, then throws
 * the ConnectError: slonik serializes the error of a rollback, and serializing protobuf details
 * does not terminate. If COMMIT gets no answer but has succeeded, returns the result.
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
 * Asks Postgres whether a transaction whose COMMIT got no answer is committed. Returns false if it
 * is still running or Postgres does not answer.
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
 * Adds session settings to the URL: search path, and timezone UTC, because other timezones can have
 * offsets with seconds, which Date cannot parse.
 */
function sessionUrl({ url, schema }: { url: string; schema: string }): string {
  const located = new URL(url)
  located.searchParams.set('options', `-c search_path=${schema} -c timezone=UTC`)
  return located.href
}

/** Connection timeout in ms, below the 5 s timeout of calls: callers get a 503, not a timeout. */
const connectMsMax = 4_000

/** Time in ms beyond the statement timeout until a server without an answer counts as dead. */
const answerMarginMs = 2_000

const serverTime = sql.type(z.object({ now: z.date() }))`SELECT now()`

const healthMs = 1_000

// Maximum number of named statements per connection pool; a service has a few hundred. No name is
// ever reused, because connections keep the statement that they prepared under it.
const textsMax = 1_000

/** Creates a health check that caches its result for a second, so that checks do not pile up. */
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

/**
 * Creates the interceptor that names each distinct SQL text, up to `textsMax`: a connection parses
 * it only once (prepared statement).
 */
function nameStatements(): Interceptor {
  const names = new Map<string, string>()
  return {
    name: 'name-statements',
    transformQuery: (_context, query) => {
      let name = names.get(query.sql)
      if (name === undefined) {
        if (names.size >= textsMax) return query
        name = `s${names.size}`
        names.set(query.sql, name)
      }
      return { ...query, name }
    },
  }
}

/** Creates the interceptor that validates and converts rows by their statement's zod schema. */
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
