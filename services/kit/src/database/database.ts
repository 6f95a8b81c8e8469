import type { DatabasePool, DatabaseTransactionConnection } from 'slonik'

export type Transaction = DatabaseTransactionConnection

/** The connection pool of one service, whose tables are in a schema of their own. */
export interface Database extends AsyncDisposable {
  pool: DatabasePool
  /** Calls the listener after each commit that may have emitted changes; wakes the outbox relay. */
  onChanges: (listener: () => void) => void
  /**
   * Runs one transaction. The callback must only run SQL: slonik calls it again (up to five times)
   * after a serialization failure.
   */
  transaction: <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Runs one statement that emits changes, without BEGIN and COMMIT; wakes the outbox relay. */
  autocommit: <T>(run: (pool: DatabasePool) => Promise<T>) => Promise<T>
  /** Whether Postgres answers within a second; the result is cached for a second. */
  isHealthy: () => Promise<boolean>
  /** Returns when Postgres last answered a statement, by `performance.now()`. */
  answeredAt: () => number
  /** Returns the time of the server: sweeps and leases of processes whose clocks differ agree. */
  now: () => Promise<Date>
}
