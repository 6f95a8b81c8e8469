import type { ServiceDeps } from '@coffer/kit/service/service'
import { findLink } from '../accounts/link.sql.ts'
import type { LinkKey } from '../book/link.ts'
import { nameOf, type Storage } from '../imports/storage/storage.ts'
import { deleteMoney } from '../money/removal.sql.ts'
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

/** Returns the Temporal activities that clean up after a deleted link; each is idempotent. */
export function linkCleanUpActivities({ database, clock, storage }: Deps) {
  const firstRemoved = async (link: LinkKey) => {
    const [bankAccountId] = await listRemovedBankAccounts(database, link, { after: '', limit: 1 })
    return bankAccountId ? { accountId: link.accountId, bankAccountId } : null
  }
  return {
    /** Returns the link's type (manual, aggregator or feed); null unless the link is deleted. */
    describeDeletedLink: async ({ accountId, linkId }: LinkKey): Promise<string | null> => {
      const link = await findLink(database, accountId, linkId)
      return link?.deletedAt ? link.linkType : null
    },
    /** Returns IDs of the link's bank accounts after the ID `after`, ordered, at most 200. */
    listLinkBankAccounts: (link: LinkKey, after: string): Promise<string[]> =>
      listRemovedBankAccounts(database, link, { after, limit: bankAccountsPerPage }),
    /** Deletes the link's files and rows in up to 200 batches; returns true when none are left. */
    removeLinkRows: async (link: LinkKey): Promise<boolean> => {
      for (let batch = 0; batch < batchesMax; batch++) {
        const bankAccount = await firstRemoved(link)
        if (!bankAccount) {
          await markCleaned(database, link, clock())
          return true
        }
        const files = await listFilesOf(database, bankAccount, filesPerBatch)
        if (files.length > 0) {
          // Bytes are deleted before rows: without the row, a retry could not find a file's bytes.
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
