import { BackendTerminatedError } from 'slonik'

/** The connection to Postgres broke, or Postgres did not answer a statement in time. */
export class LostConnectionError extends BackendTerminatedError {
  override name = 'LostConnectionError'
  /** Whether the interrupted statement may be committed. */
  readonly mayBeDone: boolean
  readonly transaction: TransactionName | null

  constructor(cause: Error, mayBeDone: boolean, transaction: TransactionName | null) {
    super(cause)
    this.mayBeDone = mayBeDone
    this.transaction = transaction
  }
}

/** Identifies a Postgres transaction until the server restarts; on a standby, `id` is null. */
export interface TransactionName {
  id: string | null
  serverStartedAt: string
}
