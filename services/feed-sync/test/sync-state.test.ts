import { boot } from '@coffer/host/testing/boot'
import { started } from '@coffer/host/testing/started'
import { columnsOf } from '@coffer/kit/database/rows'
import { newId } from '@coffer/kit/values/id'
import { FeedLinkService } from '@coffer/proto/feedsync/v1/feed_link'
import { idleSync } from '@coffer/sync-kit/testing/idle-sync'
import { expect, test } from '@jest/globals'
import { sql } from 'slonik'
import { feedSync } from '../src/service.ts'
import { FeedSync } from '../src/syncs/feed-sync.ts'
import type { Run } from '../src/syncs/feed-sync-run.ts'

const feedUrl = 'https://feed.example/v1'

const booted = started(() => boot([feedSync], { COFFER_FEED_ALLOWED_URLS: feedUrl }))

function storedSync({ accountId, feedLinkId }: Pick<Run, 'accountId' | 'feedLinkId'>) {
  return booted.database('feed-sync').pool.one(sql.type(FeedSync)`
    SELECT ${columnsOf(FeedSync, { table: 'feed_links' })} FROM feed_links
    WHERE account_id = ${accountId} AND feed_link_id = ${feedLinkId}`)
}

test('a connection begins without a sync, and its activation schedules none', async () => {
  const accountId = newId('acct')
  const as = booted.as(accountId)
  const feedLinks = booted.client('feed-sync', FeedLinkService)
  const { feedLink } = await feedLinks.createFeedLink(
    { name: 'Home', feedUrl, apiKey: 'secretKey123' },
    as,
  )
  const feedLinkId = feedLink?.feedLinkId ?? ''
  expect(await storedSync({ accountId, feedLinkId })).toMatchObject({
    ...idleSync,
    status: 'pending',
  })
  await feedLinks.activateFeedLink({ feedLinkId, linkId: newId('link') }, as)
  expect(await storedSync({ accountId, feedLinkId })).toMatchObject({
    ...idleSync,
    status: 'active',
  })
})
