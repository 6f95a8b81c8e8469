import { accountRemovalActivities } from '@coffer/kit/accounts/account-removal.activities'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { endLinks, listUncleaned } from './account-deletion.sql.ts'
import { startCleanUp } from './events.consumer.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows' | 'clock'>

const linksPerCall = 200

/** What the ledger does of deleting an account; every step can be repeated. */
export function accountDeletionActivities({ database, workflows, clock }: Deps) {
  const rows = accountRemovalActivities({ database })
  return {
    ...rows,
    /** From now on everything under the account answers 404 and no import gets in. */
    closeAccount: async (accountId: string): Promise<void> => {
      await rows.closeAccount(accountId)
      await endLinks(database, accountId, clock())
    },
    /** Has deleted links cleaned up, which releases their connections; false when all are. */
    startLinkCleanUps: async (accountId: string): Promise<boolean> => {
      const links = await listUncleaned(database, accountId, linksPerCall)
      for (const link of links) await startCleanUp(workflows, link)
      return links.length > 0
    },
  }
}
