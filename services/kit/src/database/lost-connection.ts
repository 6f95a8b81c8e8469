import { BackendTerminatedError } from 'slonik'

/** The connection to Postgres broke, or Postgres did not answer a statement in time. */
export class LostConnectionError extends BackendTerminatedError {
  override name = 'LostConnectionError'
  /** Whether Postgres may have committed the statement that was running. */
  readonly mayBeDone: boolean
  /** The last transaction of the connection. */
  readonly transaction: TransactionName | null

  constructor(cause: Error, mayBeDone: boolean, transaction: TransactionName | null) {
    super(cause)
    this.mayBeDone = mayBeDone
    this.transaction = transaction
  }
}

/** The name of a transaction. IDs are unique until the server restarts; a standby assigns none. */
export interface TransactionName {
  id: string | null
  serverStartedAt: string
}
