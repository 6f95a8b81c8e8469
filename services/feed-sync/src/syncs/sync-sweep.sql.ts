import { isServed } from '@coffer/kit/accounts/subscription.sql'
import type { Database } from '@coffer/kit/database/database'
import { isAfter } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { FeedSyncKey } from './feed-sync.ts'

/** Page of a sweep: the key of the last row before it, empty for the first page. */
export interface Page {
  now: Date
  after: readonly string[]
  limit: number
}

/** A text keeps the microseconds of Postgres, which a Date would drop. */
const DueSync = FeedSyncKey.extend({ dueAt: z.string() })

/**
 * Lists the connections whose scheduled sync is due, the earliest first. The key of the page is
 * `dueAt`, account ID and feed link ID.
 */
export function listDueSyncs(
  { pool }: Database,
  { now, after, limit }: Page,
): Promise<readonly z.infer<typeof DueSync>[]> {
  const key = sql.fragment`next_sync_at, account_id, feed_link_id`
  return pool.any(sql.type(DueSync)`
    SELECT account_id AS "accountId", link_id AS "linkId", feed_link_id AS "feedLinkId",
      next_sync_at::text AS "dueAt"
    FROM feed_links
    WHERE status = 'active' AND next_sync_at <= ${now.toISOString()} AND ${isAfter(key, after)}
      AND ${isServed('feed_links', now)}
    ORDER BY ${key} LIMIT ${limit}`)
}

/**
 * Lists the connections with a sync that was requested before `requestedBefore` and has not begun,
 * or that began before `startedBefore` and has not ended. The key of the page is account ID and
 * feed link ID.
 */
export function listUnfinishedSyncs(
  { pool }: Database,
  {
    now,
    after,
    limit,
    requestedBefore,
    startedBefore,
  }: Page & { requestedBefore: Date; startedBefore: Date },
): Promise<readonly FeedSyncKey[]> {
  const key = sql.fragment`account_id, feed_link_id`
  return pool.any(sql.type(FeedSyncKey)`
    SELECT account_id AS "accountId", link_id AS "linkId", feed_link_id AS "feedLinkId"
    FROM feed_links
    WHERE (requested_at IS NOT NULL OR sync_run_id IS NOT NULL)
      AND (requested_at < ${requestedBefore.toISOString()}
        OR sync_started_at < ${startedBefore.toISOString()})
      AND status IN ('active', 'error') AND ${isAfter(key, after)}
      AND ${isServed('feed_links', now)}
    ORDER BY ${key} LIMIT ${limit}`)
}
