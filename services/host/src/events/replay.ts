import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const pageSize = 1_000
const ChangeId = z.object({ changeId: z.string() })

/**
 * Marks published changes as unpublished, in batches, so that the relay publishes them again to a
 * NATS that has lost its messages. Consumers ignore changes that they have already applied.
 * @param since time of the oldest change to publish again; null for all stored changes
 * @returns the number of changes marked
 */
export async function republish({ pool }: Database, since: Date | null): Promise<number> {
  const oldest = (since ?? new Date(0)).toISOString()
  let marked = 0
  let last = ''
  for (;;) {
    const page = await pool.any(sql.type(ChangeId)`
      WITH page AS (
        SELECT change_id FROM changes
        WHERE change_id > ${last} AND created_at >= ${oldest}::timestamptz
          AND published_at IS NOT NULL
        ORDER BY change_id LIMIT ${pageSize}
      ), marked AS (
        UPDATE changes SET published_at = NULL FROM page
        WHERE changes.change_id = page.change_id
        RETURNING changes.change_id
      )
      SELECT change_id AS "changeId" FROM marked ORDER BY change_id`)
    marked += page.length
    const end = page.at(-1)
    if (end === undefined) return marked
    last = end.changeId
  }
}

/** Returns the number of changes that are not published yet. */
export async function unpublishedCount({ pool }: Database): Promise<bigint> {
  return pool.oneFirst(sql.type(z.object({ count: z.bigint() }))`
    SELECT count(*) FROM changes WHERE published_at IS NULL`)
}
