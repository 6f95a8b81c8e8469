import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'

/** Marks a link's aggregator connection as released, unless it is missing or already released. */
export async function markReleased(
  { pool }: Database,
  { accountId, linkId, now }: { accountId: string; linkId: string; now: Date },
): Promise<void> {
  await pool.query(sql.unsafe`
    UPDATE connections SET released_at = ${now.toISOString()}
    WHERE account_id = ${accountId} AND link_id = ${linkId} AND released_at IS NULL`)
}
