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

/** The ledger's activities of the clean-up after a deleted link; each is repeatable. */
export function linkCleanUpActivities({ database, clock, storage }: Deps) {
  const firstRemoved = async (link: LinkKey) => {
    const [bankAccountId] = await listRemovedBankAccounts(database, link, { after: '', limit: 1 })
    return bankAccountId ? { accountId: link.accountId, bankAccountId } : null
  }
  return {
    /** The type of a deleted link, which selects the service that releases its connection. */
    describeDeletedLink: async ({ accountId, linkId }: LinkKey): Promise<string | null> => {
      const link = await findLink(database, accountId, linkId)
      return link?.deletedAt ? link.linkType : null
    },
    /** IDs of the next bank accounts of the link, after the ID given. */
    listLinkBankAccounts: (link: LinkKey, after: string): Promise<string[]> =>
      listRemovedBankAccounts(database, link, { after, limit: bankAccountsPerPage }),
    /** Removes a bounded number of rows under the link; true if none are left. */
    removeLinkRows: async (link: LinkKey): Promise<boolean> => {
      for (let batch = 0; batch < batchesMax; batch++) {
        const bankAccount = await firstRemoved(link)
        if (!bankAccount) {
          await markCleaned(database, link, clock())
          return true
        }
        const files = await listFilesOf(database, bankAccount, filesPerBatch)
        if (files.length > 0) {
          // Bytes before rows: without the row, no later attempt would find the bytes.
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
