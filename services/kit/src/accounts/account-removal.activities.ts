import type { Database } from '../database/database.ts'
import { markDeleted, removeRowsOfAccount } from './account-removal.sql.ts'

/**
 * A service's part in the deletion of an account, on its own queue; each step can be repeated. A
 * service that keeps more than rows puts its own steps of these names in their place.
 */
export function accountRemovalActivities({ database }: { database: Database }) {
  return {
    /** Keeps what is still on its way for the account from being taken in. */
    closeAccount: (accountId: string): Promise<void> => markDeleted(database, accountId),
    /** Removes some of the account's rows; true when none is left. */
    removeAccountRows: (accountId: string): Promise<boolean> =>
      removeRowsOfAccount(database, accountId),
  }
}
