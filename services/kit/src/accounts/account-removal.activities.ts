import type { Database } from '../database/database.ts'
import { markDeleted, removeRowsOfAccount } from './account-removal.sql.ts'

/**
 * Returns the Temporal activities that delete an account's rows in one service. Each is idempotent.
 * A service that stores data outside Postgres exports its own activities of the same names
 * (docs/account-data.md#deletion).
 */
export function accountRemovalActivities({ database }: { database: Database }) {
  return {
    /** Marks the account as deleted; handlers then ignore its messages that arrive later. */
    closeAccount: (accountId: string): Promise<void> => markDeleted(database, accountId),
    /** Deletes a batch of the account's rows; returns true when none is left. */
    removeAccountRows: (accountId: string): Promise<boolean> =>
      removeRowsOfAccount(database, accountId),
  }
}
