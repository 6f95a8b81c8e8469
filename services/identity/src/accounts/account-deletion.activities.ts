import {
  accountRemovalActivities,
  requireRequested,
} from '@coffer/kit/accounts/account-removal.activities'
import { removeRowsOfAccount } from '@coffer/kit/accounts/account-removal.sql'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Billing } from '../billing/billing.client.ts'
import { findBilledAccount } from '../billing/billing.sql.ts'
import { ensureCustomer } from '../billing/billing-account.service.ts'
import { startDeletion } from './account-deletion.consumer.ts'
import {
  findDeletion,
  listDeletions,
  removeLogins,
  settleDeletion,
} from './account-deletion.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'> & { billing: Billing | null }

const pageSize = 200
const graceMs = 30_000

/** Returns the Temporal activities by which identity deletes an account; each can be repeated. */
export function accountDeletionActivities({ database, workflows, billing }: Deps) {
  const requireDeletion = async (accountId: string) =>
    requireRequested((await findDeletion(database, accountId)) !== null)
  return {
    ...accountRemovalActivities(database, requireDeletion),
    /**
     * Deletes the account's customer at Stripe and the customer's subscriptions. Creates a missing
     * customer first, because a concurrent creation then returns this customer, which is deleted
     * here.
     */
    endBilling: async (accountId: string): Promise<void> => {
      await requireDeletion(accountId)
      if (!billing || !(await findBilledAccount(database, accountId))) return
      const customerId = await ensureCustomer({ database, billing }, accountId)
      await billing.deleteCustomer(customerId)
    },
    removeAccountRows: async (accountId: string): Promise<boolean> => {
      await requireDeletion(accountId)
      await removeLogins(database, accountId)
      return removeRowsOfAccount(database, accountId, { keep: ['account_deletions'] })
    },
    settleDeletion: (accountId: string): Promise<void> => settleDeletion(database, accountId),
    /**
     * Restarts a page of unfinished deletions. Returns the page's last account ID, null after the
     * last page.
     */
    restartDeletions: async (after: string): Promise<string | null> => {
      const before = new Date((await database.now()).getTime() - graceMs)
      const accountIds = await listDeletions(database, { before, after, limit: pageSize })
      for (const accountId of accountIds) await startDeletion(workflows, accountId)
      return accountIds.at(pageSize - 1) ?? null
    },
  }
}
