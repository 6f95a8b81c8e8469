import { create } from '@bufbuild/protobuf'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { keepReply, once } from '@coffer/kit/database/idempotency'
import { duplicate } from '@coffer/kit/rpc/errors'
import { toMessage } from '@coffer/kit/rpc/message'
import { callerOf } from '@coffer/kit/rpc/rpc'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import {
  CreateFeedLinkResponseSchema,
  FeedLinkSchema,
  type FeedLinkService,
} from '@coffer/proto/feedsync/v1/feed_link'
import type { ServiceImpl } from '@connectrpc/connect'
import { UniqueIntegrityConstraintViolationError } from 'slonik'
import type { settings } from '../config.ts'
import {
  feedLinkBound,
  findFeedLinks,
  insertFeedLink,
  listFeedLinks,
  lockFeedLink,
  saveFeedLink,
} from '../connections/feed-link.sql.ts'
import {
  activateFeedLink,
  createFeedLink,
  errorOf,
  type FeedLink,
  keyOwnerOf,
  requireFound,
} from '../connections/feed-link.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'secrets' | 'clock'>

/** Returns the RPC handlers of feed links (docs/banks/feed.md#connections). */
export function feedLinkRoutes(deps: Deps): ServiceImpl<typeof FeedLinkService> {
  const { config, database, secrets, clock } = deps
  return {
    listFeedLinks: async ({ feedLinkIds }, context) => {
      const { accountId } = callerOf(context)
      const feedLinks =
        feedLinkIds.length > 0
          ? await findFeedLinks(database, accountId, feedLinkIds)
          : await listFeedLinks(database, accountId)
      return { feedLinks: feedLinks.map(toReply) }
    },
    getFeedLink: async ({ feedLinkId }, context) => {
      const { accountId } = callerOf(context)
      const [feedLink] = await findFeedLinks(database, accountId, [feedLinkId])
      return { feedLink: toReply(requireFound(feedLink)) }
    },
    createFeedLink: (request, context) =>
      once({ database, context, reply: CreateFeedLinkResponseSchema }, async (key) => {
        const { accountId, userId: createdBy } = callerOf(context)
        const { allowedUrls } = config
        const feedLink = createFeedLink(
          { ...request, feedLinkId: newId('lfx') },
          { accountId, createdBy, allowedUrls, now: clock() },
        )
        const apiKey = await secrets.seal(request.apiKey, keyOwnerOf(feedLink))
        const reply = create(CreateFeedLinkResponseSchema, { feedLink: toReply(feedLink) })
        await database.transaction(async (tx) => {
          await insertFeedLink(tx, feedLink, apiKey)
          await requireWithin(tx, feedLinkBound(config.linksMax, accountId))
          await keepReply(tx, key, reply)
        })
        return reply
      }),
    activateFeedLink: async ({ feedLinkId, linkId }, context) => {
      const { accountId } = callerOf(context)
      const feedLink = await activateConnection(deps, { accountId, feedLinkId, linkId })
      return { feedLink: toReply(feedLink) }
    },
  }
}

/**
 * Assigns a pending connection to a link. Idempotent. Throws notFound, refused if the connection
 * has another link, and duplicate if the link has another connection.
 */
export async function activateConnection(
  { database, clock }: Pick<Deps, 'database' | 'clock'>,
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

function toReply(feedLink: FeedLink) {
  return toMessage(FeedLinkSchema, { ...feedLink, error: errorOf(feedLink) })
}

/** Throws duplicate if the link uses another feed connection; rethrows other errors. */
function refuseTaken(error: unknown): never {
  const isTaken = error instanceof UniqueIntegrityConstraintViolationError
  if (isTaken && error.constraint === 'feed_links_link') {
    throw duplicate('feed link', { feedLinkId: 'the link has another feed connection' })
  }
  throw error
}
