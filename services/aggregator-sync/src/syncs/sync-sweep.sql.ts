import { isServed } from '@coffer/kit/accounts/subscription.sql'
import type { Database } from '@coffer/kit/database/database'
import { isAfter } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { LinkKey } from '../links/aggregator-link.ts'

/** Page of a sweep: the key of the last row before it, empty for the first page. */
export interface Page {
  now: Date
  after: readonly string[]
  limit: number
}

/** A text keeps the microseconds of Postgres, which a Date would drop. */
const DueSync = LinkKey.extend({ dueAt: z.string() })

/**
 * Lists the links whose scheduled sync is due, the earliest first. The key of the page is `dueAt`,
 * account ID and link ID.
 */
export function listDueSyncs(
  { pool }: Database,
  { now, after, limit }: Page,
): Promise<readonly z.infer<typeof DueSync>[]> {
  const key = sql.fragment`next_sync_at, account_id, link_id`
  return pool.any(sql.type(DueSync)`
    SELECT account_id AS "accountId", link_id AS "linkId", next_sync_at::text AS "dueAt"
    FROM aggregator_links
    WHERE next_sync_at <= ${now.toISOString()} AND ${isAfter(key, after)}
      AND status NOT IN ('creating', 'revoked') AND ${isServed('aggregator_links', now)}
    ORDER BY ${key} LIMIT ${limit}`)
}

/**
 * Lists the links with a sync that was requested before `requestedBefore` and has not begun, or
 * that began before `startedBefore` and has not ended. The key of the page is account ID and link
 * ID.
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
): Promise<readonly LinkKey[]> {
  const key = sql.fragment`account_id, link_id`
  return pool.any(sql.type(LinkKey)`
    SELECT account_id AS "accountId", link_id AS "linkId" FROM aggregator_links
    WHERE (requested_at IS NOT NULL OR sync_run_id IS NOT NULL)
      AND (requested_at < ${requestedBefore.toISOString()}
        OR sync_started_at < ${startedBefore.toISOString()})
      AND status NOT IN ('creating', 'deactivated') AND ${isAfter(key, after)}
      AND ${isServed('aggregator_links', now)}
    ORDER BY ${key} LIMIT ${limit}`)
}
