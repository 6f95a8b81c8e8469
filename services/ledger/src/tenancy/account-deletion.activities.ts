import {
  accountRemovalActivities,
  type RequireDeletion,
} from '@coffer/kit/accounts/account-removal.activities'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { nameOf, type Storage } from '../imports/storage/storage.ts'
import { endLinks, listGroupFiles, listUncleaned } from './account-deletion.sql.ts'
import { startCleanUp } from './events.consumer.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows' | 'clock'> & {
  requireDeletion: RequireDeletion
  storage: Storage
}

const linksPerCall = 200

/** Returns the Temporal activities that delete an account's data in the ledger; all idempotent. */
export function accountDeletionActivities(deps: Deps) {
  const { database, workflows, clock, requireDeletion, storage } = deps
  const rows = accountRemovalActivities(database, requireDeletion)
  return {
    ...rows,
    /**
     * Deletes all links of the account: later requests get 404, and uploads are refused. Deletes
     * files with several bank accounts too, which belong to no link.
     */
    closeAccount: async (accountId: string): Promise<void> => {
      await rows.closeAccount(accountId)
      await endLinks(database, accountId, clock())
      for (const file of await listGroupFiles(database, accountId)) {
        await storage.remove(nameOf(file))
      }
    },
    /** Starts up to 200 clean-ups of deleted links; returns false if no link needs one. */
    startLinkCleanUps: async (accountId: string): Promise<boolean> => {
      const links = await listUncleaned(database, accountId, linksPerCall)
      for (const link of links) await startCleanUp(workflows, link)
      return links.length > 0
    },
  }
}
