import { dayMs } from '@coffer/kit/values/time'
import { requireDeletedLink } from '@coffer/sync-kit/ledger/ledger.client'
import { findLink, listUnfinishedLinks } from '../connections/aggregator-link.sql.ts'
import { type AggregatorLink, isTentative, type LinkKey } from '../connections/aggregator-link.ts'
import { byActivity, type LinkDeps } from '../connections/upstream-call.service.ts'
import { continueCreation } from './link-creation.service.ts'
import { endConnection, releaseItem, startFinish } from './link-release.service.ts'
import { createChosen } from './link-update.service.ts'

const pageSize = 200
// Maximum duration of a request that creates a link. Younger links are left to their request.
const requestMs = 60_000
const retryMs = 60_000
// Time after which a creation is given up. A public token is valid for 30 minutes, but an
// institution may be out of order for a day.
const creationMsMax = dayMs

/** Returns the idempotent activities that complete the work which requests have begun. */
export function linkActivities(deps: LinkDeps) {
  const { config, database, clock, log } = deps
  return {
    /** Ends the connection of a deleted link (docs/links.md#clean-up). */
    releaseAggregatorConnection: async (accountId: string, linkId: string): Promise<void> => {
      await requireDeletedLink(deps, { accountId, linkId })
      await endConnection(deps, { accountId, linkId })
    },
    /**
     * Creates, updates or releases a link, depending on its stored state. Returns the pause in ms
     * before the next call, null if nothing is left to do. Does nothing while the aggregator is
     * off.
     */
    finishLink: async (key: LinkKey): Promise<number | null> => {
      const link = config.aggregatorEnabled ? await findLink(database, key) : null
      if (!link || !isUnfinished(link)) return null
      const ageMs = clock().getTime() - link.createdAt.getTime()
      const mayBeUnderWay = link.status === 'creating' || isTentative(link)
      if (mayBeUnderWay && ageMs < requestMs) return requestMs - ageMs
      try {
        if (link.deletedAt !== null) await releaseItem(deps, link, byActivity())
        else if (link.status !== 'creating') await createChosen(deps, link, byActivity())
        else if (ageMs > creationMsMax) await endConnection(deps, link)
        else await continueCreation(deps, link, { by: byActivity() })
      } catch (error) {
        log.warn({ err: error, linkId: link.linkId }, 'a link is not finished')
      }
      const after = await findLink(database, key)
      return after && isUnfinished(after) ? retryMs : null
    },
    /**
     * Starts the workflows of links that are not finished, on the page after the key `after`
     * (empty: the first page). Returns the page's last key, null after the last page.
     */
    startUnfinishedLinks: async (after: string[]): Promise<string[] | null> => {
      if (!config.aggregatorEnabled) return null
      const before = new Date((await database.now()).getTime() - requestMs)
      const links = await listUnfinishedLinks(database, { before, after, limit: pageSize })
      for (const link of links) await startFinish(deps, link)
      const last = links.at(pageSize - 1)
      return last ? [last.accountId, last.linkId] : null
    },
  }
}

function isUnfinished({ status, chosenAccounts, deletedAt, releasedAt }: AggregatorLink): boolean {
  if (deletedAt !== null) return releasedAt === null
  return status === 'creating' || chosenAccounts.length > 0
}
