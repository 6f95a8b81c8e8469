import { say } from '@coffer/kit/reasons/reasons'
import { duplicate } from '@coffer/kit/rpc/errors'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import type { settings } from '../config.ts'
import { lockFeedLink, saveFeedLink } from '../connections/feed-link.sql.ts'
import { activateFeedLink, type FeedLink, requireFound } from '../connections/feed-link.ts'

/**
 * Assigns a pending connection to a link. Idempotent. Throws notFound, refused if the connection
 * has another link, and duplicate if the link has another connection.
 */
export async function activateConnection(
  { database, clock }: Pick<ServiceDeps<typeof settings>, 'database' | 'clock'>,
  { accountId, feedLinkId, linkId }: { accountId: string; feedLinkId: string; linkId: string },
): Promise<FeedLink> {
  const activated = database.transaction(async (tx) => {
    const before = requireFound(await lockFeedLink(tx, accountId, { feedLinkId }))
    const after = activateFeedLink(before, linkId, clock())
    if (after !== before) await saveFeedLink(tx, after)
    return after
  })
  return activated.catch(refuseTaken)
}

/** Throws duplicate if the link uses another feed connection; rethrows other errors. */
function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'feed_links_link') {
    throw duplicate('feed link', { feedLinkId: say('FEED_LINK_TAKEN') })
  }
  throw error
}
