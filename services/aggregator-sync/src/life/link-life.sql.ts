import { isServed } from '@coffer/kit/accounts/subscription.sql'
import type { Database } from '@coffer/kit/database/database'
import { deleteSome, isAfter } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { LinkKey } from '../connections/aggregator-link.ts'

/** `endsAt` is a text, because a Date would drop the microseconds of Postgres. */
const Expiring = LinkKey.extend({ endsAt: z.string() })

/**
 * Lists working links whose consent ends between `now` and `until`, the earliest first. The key of
 * the page is `endsAt`, account ID and link ID.
 */
export function listExpiring(
  { pool }: Database,
  of: { now: Date; until: Date; after: readonly string[]; limit: number },
): Promise<readonly z.infer<typeof Expiring>[]> {
  const key = sql.fragment`expiration_date, account_id, link_id`
  return pool.any(sql.type(Expiring)`
    SELECT account_id AS "accountId", link_id AS "linkId", expiration_date::text AS "endsAt"
    FROM aggregator_links
    WHERE deleted_at IS NULL AND status IN ('pending', 'setup') AND ${isAfter(key, of.after)}
      AND expiration_date > ${of.now.toISOString()}
      AND expiration_date <= ${of.until.toISOString()} AND ${isServed('aggregator_links', of.now)}
    ORDER BY ${key} LIMIT ${of.limit}`)
}

/** Tables whose rows expire, with the column from which their age is counted. */
const oldRows = {
  webhook_receipts: { column: 'received_at', condition: sql.fragment`true` },
  link_tokens: { column: 'expires_at', condition: sql.fragment`true` },
  institutions: { column: 'fetched_at', condition: sql.fragment`true` },
  // Selects links that were never created: only these keep their chosen accounts after their end.
  aggregator_links: { column: 'released_at', condition: sql.fragment`chosen_accounts <> '{}'` },
} as const

/** Deletes at most `limit` rows of a table from before `before`; returns their number. */
export function deleteOld(
  database: Database,
  table: keyof typeof oldRows,
  { before, limit }: { before: Date; limit: number },
): Promise<number> {
  const { column, condition } = oldRows[table]
  const where = sql.fragment`${sql.identifier([column])} < ${before.toISOString()} AND ${condition}`
  return deleteSome(database, { table, where, limit })
}
