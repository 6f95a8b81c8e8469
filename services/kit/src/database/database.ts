import type { CommonQueryMethods, QuerySqlToken } from 'slonik'

type Reads = 'any' | 'anyFirst' | 'exists' | 'maybeOne' | 'maybeOneFirst' | 'one' | 'oneFirst'

type Schema = QuerySqlToken['parser']
type RowOf<Row extends Schema> = NonNullable<Row['~standard']['types']>['output']

/** Rows that a statement returned, and the number of rows that it read or changed. */
interface Answer<Row> {
  rows: readonly Row[]
  rowCount: number
}

/**
 * Runs statements, and validates rows by the zod schema of the statement. `one` throws unless there
 * is exactly one row, `maybeOne` if there are several; `…First` return the value of the only
 * column.
 */
export interface Queries extends Pick<CommonQueryMethods, Reads> {
  query: <Row extends Schema>(statement: QuerySqlToken<Row>) => Promise<Answer<RowOf<Row>>>
}

/** Runs statements of one transaction. */
export interface Transaction extends Queries {
  readonly isTransaction: true
}

/** Runs each statement on a free connection, and short reads (`read`) on a shared one. */
interface Pool extends Queries {
  /** Holds one connection while `run` uses it. */
  connect: <T>(run: (connection: Queries) => Promise<T>) => Promise<T>
}

/** The connection pool of one service, whose tables are in their own Postgres schema. */
export interface Database extends AsyncDisposable {
  pool: Pool
  /** Calls the listener after each commit that may have emitted changes; wakes the outbox relay. */
  onChanges: (listener: () => void) => void
  /**
   * Runs one transaction. The callback must only run SQL: it is called again (up to five times)
   * after a serialization failure.
   */
  transaction: <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Runs one statement that emits changes, without BEGIN and COMMIT; wakes the outbox relay. */
  autocommit: <T>(run: (pool: Pool) => Promise<T>) => Promise<T>
  /** Whether Postgres answers within a second; the result is cached for a second. */
  isHealthy: () => Promise<boolean>
  /** Returns when Postgres last answered a statement, by `performance.now()`. */
  answeredAt: () => number
  /** Returns the time of the server, on which processes with different clocks agree. */
  now: () => Promise<Date>
}
