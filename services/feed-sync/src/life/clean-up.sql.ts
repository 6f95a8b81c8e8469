import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'

/**
 * Deletes at most `limit` connections that were created before `before` and that no link uses, with
 * their keys and candidates (the bank accounts that they offer). Returns their number. Skips locked
 * connections, because a link may be about to use them.
 */
export async function deleteAbandoned(
  { pool }: Database,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { rowCount } = await pool.query(sql.unsafe`
    WITH abandoned AS (
      SELECT account_id, feed_link_id FROM feed_links
      WHERE status = 'pending' AND created_at < ${before.toISOString()}
      ORDER BY created_at LIMIT ${limit} FOR UPDATE SKIP LOCKED
    ), candidates AS (
      DELETE FROM feed_bank_accounts AS candidate USING abandoned
      WHERE candidate.account_id = abandoned.account_id
        AND candidate.feed_link_id = abandoned.feed_link_id
    )
    DELETE FROM feed_links USING abandoned
    WHERE feed_links.account_id = abandoned.account_id
      AND feed_links.feed_link_id = abandoned.feed_link_id`)
  return rowCount
}
