import type { DatabasePool, DatabaseTransactionConnection } from 'slonik'

export type Transaction = DatabaseTransactionConnection

/** A pool of connections to one service's tables. */
export interface Database extends AsyncDisposable {
  pool: DatabasePool
  /**
   * Number of statements sent so far, BEGIN and COMMIT included, without those that match `except`.
   * Tests compare the number before and after a call.
   */
  statements: (except?: RegExp) => number
  /** Distinct texts of the statements sent so far; tests explain them in Postgres. */
  texts: () => string[]
  /** Registers a listener of commits that may have emitted changes, which wakes the relay. */
  onChanges: (listener: () => void) => void
  /**
   * Runs one transaction. The callback contains nothing but SQL, because slonik repeats it (up to
   * five times) after a serialization failure.
   */
  transaction: <T>(run: (tx: Transaction) => Promise<T>) => Promise<T>
  /** Runs one statement that emits changes and is a transaction by itself. */
  autocommit: <T>(run: (pool: DatabasePool) => Promise<T>) => Promise<T>
  /** Whether the database answers within a second; the answer is cached for a second. */
  isHealthy: () => Promise<boolean>
}
