import type { ServiceDeps } from '@coffer/kit/service/service'
import { nameOf, type Storage } from '../imports/storage/storage.ts'
import { deleteMoney } from '../money/removal.sql.ts'
import { findLink } from './link.sql.ts'
import type { LinkKey } from './link.ts'
import {
  listFilesOf,
  listRemovedBankAccounts,
  markCleaned,
  removeFiles,
} from './link-clean-up.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { storage: Storage }

const bankAccountsPerPage = 200
const rowsPerStatement = 500
const filesPerBatch = 100
const batchesMax = 200

/** Returns the ledger's activities for the clean-up after a deleted link. Each is idempotent. */
export function linkCleanUpActivities({ database, clock, storage }: Deps) {
  const firstRemoved = async (link: LinkKey) => {
    const [bankAccountId] = await listRemovedBankAccounts(database, link, { after: '', limit: 1 })
    return bankAccountId ? { accountId: link.accountId, bankAccountId } : null
  }
  return {
    /**
     * Returns the type of a deleted link, which selects the service that releases its connection.
     * Returns null for any other link.
     */
    describeDeletedLink: async ({ accountId, linkId }: LinkKey): Promise<string | null> => {
      const link = await findLink(database, accountId, linkId)
      return link?.deletedAt ? link.linkType : null
    },
    /** Returns a page of the link's bank account IDs, beginning after the given ID. */
    listLinkBankAccounts: (link: LinkKey, after: string): Promise<string[]> =>
      listRemovedBankAccounts(database, link, { after, limit: bankAccountsPerPage }),
    /** Removes a bounded number of rows under the link. Returns true if none are left. */
    removeLinkRows: async (link: LinkKey): Promise<boolean> => {
      for (let batch = 0; batch < batchesMax; batch++) {
        const bankAccount = await firstRemoved(link)
        if (!bankAccount) {
          await markCleaned(database, link, clock())
          return true
        }
        const files = await listFilesOf(database, bankAccount, filesPerBatch)
        if (files.length > 0) {
          // Bytes before rows: without its row, no later attempt would find the bytes of a file.
          for (const file of files) await storage.remove(nameOf(file))
          await removeFiles(database, bankAccount, files)
        } else {
          await deleteMoney(database, bankAccount, rowsPerStatement)
        }
      }
      return false
    },
  }
}
