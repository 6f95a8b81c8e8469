import type { Database } from '../database/database.ts'
import { markDeleted, removeRowsOfAccount } from './account-removal.sql.ts'

/**
 * Returns a service's activities for the deletion of an account, on its own task queue
 * (docs/account-data.md#deletion). Each activity is idempotent. A service that stores more than
 * rows exports its own activities of the same names.
 */
export function accountRemovalActivities({ database }: { database: Database }) {
  return {
    /** Marks the account as deleted, so that late messages for it are ignored. */
    closeAccount: (accountId: string): Promise<void> => markDeleted(database, accountId),
    /** Deletes some rows of the account; returns true when none is left. */
    removeAccountRows: (accountId: string): Promise<boolean> =>
      removeRowsOfAccount(database, accountId),
  }
}
