import { create } from '@bufbuild/protobuf'
import { requireWithin } from '@coffer/kit/database/account-bound.sql'
import { keepReply, once } from '@coffer/kit/database/idempotency'
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
import type { settings } from '../config.ts'
import {
  feedLinkBound,
  findFeedLinks,
  insertFeedLink,
  listFeedLinks,
} from '../connections/feed-link.sql.ts'
import {
  createFeedLink,
  errorOf,
  type FeedLink,
  keyOwnerOf,
  requireFound,
} from '../connections/feed-link.ts'
import { activateConnection } from './feed-link-activation.service.ts'

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

function toReply(feedLink: FeedLink) {
  return toMessage(FeedLinkSchema, { ...feedLink, error: errorOf(feedLink) })
}
