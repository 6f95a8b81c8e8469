import { progressSubject } from '@coffer/kit/events/progress'
import { say } from '@coffer/kit/reasons/reasons'
import { notFound, refused } from '@coffer/kit/rpc/errors'
import { FeedSyncService } from '@coffer/proto/feedsync/v1/feed_sync'
import { BankAccountService } from '@coffer/proto/ledger/v1/bank_account'
import { type GetLinkResponse, LinkService } from '@coffer/proto/ledger/v1/link'
import { z } from 'zod'
import { createSyncHealths } from '../../compose/sync-health.ts'
import type { RouteDeps } from '../../deps.ts'
import { requirePart } from '../../http/answers/answer.ts'
import { id } from '../../http/fields/fields.ts'
import { type Route, route, socketRoute } from '../../http/route.ts'
import {
  createEndDetector,
  createRunOrder,
  feedFinalStatuses,
  feedProgressFrame,
  feedProgressKeys,
} from '../../sockets/feed-progress.ts'
import { showProgress } from '../../sockets/progress.ts'

/** Returns the routes of syncs of feed links (docs/banks/feed.md#requests). */
export function feedSyncRoutes(deps: RouteDeps): Route[] {
  const { mesh } = deps
  const links = mesh.client('ledger', LinkService)
  const feedSyncs = mesh.client('feed-sync', FeedSyncService)
  return [
    route({
      id: 'syncFeedLink',
      tag: 'Feed',
      method: 'POST',
      path: '/api/feed/link/sync',
      summary: 'Start a sync of a feed link, at most once in 30 minutes',
      description:
        'The sync runs in the background: watch its progress, or read the health of the link. ' +
        '425 with Retry-After within 30 minutes (docs/banks/feed.md#requests).',
      since: '0.2.0',
      auth: 'key',
      feature: 'feed',
      success: 202,
      isThrottled: true,
      body: z.strictObject({
        linkId: id('link').describe('Feed link whose connection is not deactivated'),
      }),
      handler: async ({ body: { linkId }, options }) => {
        const feedLinkId = requireFeedLink(await links.getLink({ linkId }, options))
        await feedSyncs.requestFeedSync({ feedLinkId, linkId }, options)
      },
    }),
    progressRoute(deps),
  ]
}

function progressRoute({ mesh, broker, progressTimes }: RouteDeps): Route {
  const links = mesh.client('ledger', LinkService)
  const accounts = mesh.client('ledger', BankAccountService)
  const healths = createSyncHealths(mesh)
  return socketRoute({
    id: 'watchFeedSync',
    tag: 'Feed',
    path: '/api/feed/link/sync/:linkId/bank_account/:bankAccountId/progress',
    summary: "Progress of a bank account's feed sync, over a WebSocket",
    description: 'Open it before the sync is requested.',
    since: '0.2.0',
    auth: 'key',
    feature: 'feed',
    find: async ({ params: { linkId, bankAccountId }, options }) => {
      const found = await links.getLink({ linkId }, options)
      const account = await accounts.describeBankAccount({ bankAccountId }, options)
      if (account.linkId !== linkId) throw notFound('bank account')
      // Refuses the upgrade if feed-sync is unavailable, because the socket needs it.
      await healths.ofFeed(requireFeedLink(found), options)
    },
    frames: [{ json: feedProgressFrame }],
    socket: async ({ params: { linkId, bankAccountId }, socket, accountId, renewOptions }) => {
      const findEnd = createEndDetector(bankAccountId)
      let feedLinkId: string | undefined
      await showProgress({
        socket,
        connection: broker.hasConnected() ? broker.connection : null,
        subject: broker.subject(progressSubject({ accountId, id: bankAccountId })),
        keys: feedProgressKeys,
        finalStatuses: feedFinalStatuses,
        statusAtLimit: null,
        times: progressTimes ?? { pollMs: 5_000, limitMs: 300_000 },
        accepts: createRunOrder(),
        // `findEnd` compares with the first read. That comes after the subscription, because the
        // client may start a sync once the socket is open.
        read: async () => {
          const options = await renewOptions()
          feedLinkId ??= requireFeedLink(await links.getLink({ linkId }, options))
          return findEnd(await healths.ofFeed(feedLinkId, options))
        },
      })
    },
  })
}

/** Returns the ID of the link's feed connection. Throws refused unless it is a live feed link. */
function requireFeedLink({ link }: GetLinkResponse): string {
  const { deletedAt, linkType, feedLinkId } = requirePart(link)
  if (deletedAt) throw refused(say('LINK_GONE'))
  if (linkType !== 'feed' || feedLinkId === undefined) {
    throw refused(say('NOT_FEED_LINK'))
  }
  return feedLinkId
}
