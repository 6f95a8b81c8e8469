import { changeOf } from '@coffer/kit/events/changes'
import { notFound } from '@coffer/kit/rpc/errors'
import { FeedSyncRequestedSchema } from '@coffer/proto/feedsync/v1/events'
import { createSyncRequests } from '@coffer/sync-kit/syncs/sync-requests.service'
import { feedSyncs } from './feed-sync.sql.ts'
import { requestFeedSync } from './feed-sync.ts'

/** Requests and starts of the syncs of feed connections. */
export const feedRequests = createSyncRequests({
  store: feedSyncs,
  noun: 'feed link',
  request: (sync, of, { linkId }) => {
    if (sync.linkId !== null && sync.linkId !== linkId) throw notFound('feed link')
    return requestFeedSync(sync, of)
  },
  eventOf: ({ accountId, linkId, feedLinkId }, now) => {
    const subject = { accountId, entityId: feedLinkId, version: BigInt(now.getTime()) }
    return changeOf(FeedSyncRequestedSchema, subject, { accountId, linkId, feedLinkId })
  },
  workflow: 'syncFeedLink',
  prefix: 'feed-sync',
})
