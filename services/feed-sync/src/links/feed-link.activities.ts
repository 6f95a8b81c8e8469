import type { ServiceDeps } from '@coffer/kit/service/service'
import { deleteFeedBankAccounts } from '../candidates/feed-bank-account.sql.ts'
import { deleteFeedKey, lockFeedLink, lockFeedLinkOf, saveFeedLink } from './feed-link.sql.ts'
import { releaseFeedLink } from './feed-link.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'>

/** This service's part in the clean-up of a deleted link; it may run again to no effect. */
export function feedLinkActivities(deps: Deps) {
  return {
    releaseFeedConnection: (accountId: string, linkId: string): Promise<void> =>
      release(deps, { accountId, linkId }),
  }
}

/**
 * Ends the connection under a deleted link and drops its key and what it offered; where there is
 * none, nothing. With
 * its own ID it is found also when the link was deleted before the connection heard that there was
 * one: it would otherwise become active for a link that is gone.
 */
export async function release(
  { database, clock }: Deps,
  { accountId, linkId, feedLinkId }: { accountId: string; linkId: string; feedLinkId?: string },
): Promise<void> {
  await database.transaction(async (tx) => {
    const before = feedLinkId
      ? await lockFeedLink(tx, accountId, feedLinkId)
      : await lockFeedLinkOf(tx, accountId, linkId)
    if (!before) return
    const after = releaseFeedLink(before, linkId, clock())
    if (after === before) return
    await saveFeedLink(tx, after)
    await deleteFeedKey(tx, after)
    await deleteFeedBankAccounts(tx, after)
  })
}
