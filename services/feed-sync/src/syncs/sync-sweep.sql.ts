import type { SweptLinks } from '@coffer/sync-kit/swept-links.sql'
import { sql } from 'slonik'
import { FeedSyncKey } from './feed-sync.ts'

/** The connections that the schedule starts: after five failures in a row only requested syncs. */
export const sweptLinks: SweptLinks<FeedSyncKey> = {
  table: 'feed_links',
  key: FeedSyncKey,
  primaryKey: ['accountId', 'feedLinkId'],
  isScheduled: sql.fragment`status = 'active'`,
  isRequestable: sql.fragment`status IN ('active', 'error')`,
}
