import type { ServiceDeps } from '@coffer/kit/service/service'
import { requireDeletedLink } from '@coffer/sync-kit/ledger/ledger.client'
import { deleteFeedBankAccounts } from '../candidates/feed-bank-account.sql.ts'
import { deleteFeedKey, lockFeedLink, saveFeedLink } from '../connections/feed-link.sql.ts'
import { releaseFeedLink } from '../connections/feed-link.ts'

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock'>

/** Returns the idempotent activities that run after a link is deleted (docs/links.md#clean-up). */
export function feedLinkActivities(deps: Deps) {
  return {
    releaseFeedConnection: async (accountId: string, linkId: string): Promise<void> => {
      await requireDeletedLink(deps, { accountId, linkId })
      await releaseConnection(deps, { accountId, linkId })
    },
  }
}

/**
 * Ends the feed connection of a deleted link, if it has one; deletes its API key and its
 * candidates, the bank accounts that it offers. Finds the connection also by `feedLinkId`, since
 * the link may be deleted before the connection is activated.
 */
export async function releaseConnection(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
  { accountId, linkId, feedLinkId }: { accountId: string; linkId: string; feedLinkId?: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = await lockFeedLink(tx, accountId, feedLinkId ? { feedLinkId } : { linkId })
    if (!before) return
    const after = releaseFeedLink(before, linkId, clock())
    if (after === before) return
    await saveFeedLink(tx, after)
    await deleteFeedKey(tx, after)
    await deleteFeedBankAccounts(tx, after)
  })
}
