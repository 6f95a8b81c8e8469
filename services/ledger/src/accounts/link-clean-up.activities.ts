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

/** What the ledger does of cleaning up after a deleted link; every step can be repeated. */
export function linkCleanUpActivities({ database, clock, storage }: Deps) {
  const firstRemoved = async (link: LinkKey) => {
    const [bankAccountId] = await listRemovedBankAccounts(database, link, { after: '', limit: 1 })
    return bankAccountId ? { accountId: link.accountId, bankAccountId } : null
  }
  return {
    /** The kind of a deleted link, which says whose connection is to be released. */
    describeDeletedLink: async ({ accountId, linkId }: LinkKey): Promise<string | null> => {
      const link = await findLink(database, accountId, linkId)
      return link?.deletedAt ? link.linkType : null
    },
    /** The next bank accounts under the link, after the one given. */
    listLinkBankAccounts: (link: LinkKey, after: string): Promise<string[]> =>
      listRemovedBankAccounts(database, link, { after, limit: bankAccountsPerPage }),
    /** Removes some of what is under the link; true when nothing is left. */
    removeLinkRows: async (link: LinkKey): Promise<boolean> => {
      for (let batch = 0; batch < batchesMax; batch++) {
        const bankAccount = await firstRemoved(link)
        if (!bankAccount) {
          await markCleaned(database, link, clock())
          return true
        }
        const files = await listFilesOf(database, bankAccount, filesPerBatch)
        if (files.length > 0) {
          // The bytes first: a file is forgotten only when it is gone.
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
