import type { RequireDeletion } from '@coffer/kit/accounts/account-removal.activities'
import { markDeleted, removeRowsOfAccount } from '@coffer/kit/accounts/account-removal.sql'
import { lockBound } from '@coffer/kit/database/account-bound.sql'
import { unavailable } from '@coffer/kit/rpc/errors'
import { aggregatorLinkBound, listHeldLinks } from '../connections/aggregator-link.sql.ts'
import { byActivity, type LinkDeps } from '../connections/upstream-call.service.ts'
import { endConnection, releaseItem } from '../links/link-release.service.ts'

const linksPerCall = 5

/**
 * Returns the activities that delete an account (docs/account-data.md#deletion). Both are
 * idempotent, and are refused unless the deletion was requested.
 */
export function accountRemovalActivities(deps: LinkDeps & { requireDeletion: RequireDeletion }) {
  const { config, database, requireDeletion } = deps
  return {
    /** Marks the account as deleted, so that no further link is created. */
    closeAccount: async (accountId: string): Promise<void> => {
      await requireDeletion(accountId)
      await database.transaction(async (tx) => {
        // Waits for a concurrent creation of a link, which holds this lock, so that the removal
        // finds its link.
        await lockBound(tx, aggregatorLinkBound(accountId, { max: 0, refusal: '' }))
        await markDeleted({ pool: tx }, accountId)
      })
    },
    /**
     * Removes items at the aggregator, then deletes the rows of the account once no item is left.
     * Returns whether all are gone. Throws while the aggregator does not answer or is off: without
     * its token in the rows, an item could not be removed any more.
     */
    removeAccountRows: async (accountId: string): Promise<boolean> => {
      await requireDeletion(accountId)
      const links = await listHeldLinks(database, accountId, linksPerCall)
      if (links.length === 0) return removeRowsOfAccount(database, accountId)
      if (!config.aggregatorEnabled) throw unavailable('the aggregator is off: items remain')
      for (const link of links) {
        await endConnection(deps, link)
        await releaseItem(deps, link, byActivity())
      }
      return false
    },
  }
}
