import type { Database } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'

const TagCount = z.object({ name: z.string(), count: z.bigint() })

/**
 * Lists the tags of an account's live transactions with the number of transactions of each, the
 * most frequent first. Tags that differ only by case or accents (`folded_text`) count as one tag,
 * in the most frequent spelling.
 */
export function listTags(
  { pool }: Database,
  accountId: string,
  limit: number,
): Promise<readonly z.infer<typeof TagCount>[]> {
  return pool.any(sql.type(TagCount)`
    SELECT (array_agg(tag ORDER BY rows DESC, tag))[1] AS name, sum(rows)::bigint AS count FROM (
      SELECT tag, count(*) AS rows
      FROM transactions JOIN bank_accounts USING (account_id, bank_account_id)
        CROSS JOIN LATERAL unnest(tags) AS tag
      WHERE account_id = ${accountId} AND tags IS NOT NULL AND transactions.deleted_at IS NULL
        AND removed_at IS NULL
      GROUP BY tag
    ) AS spelled GROUP BY folded_text(tag) ORDER BY count DESC, name LIMIT ${limit}`)
}

/** A transaction by its key within the account. */
const TaggedKey = z.object({ bankAccountId: z.string(), transactionId: z.string() })
export type TaggedKey = z.infer<typeof TaggedKey>

/**
 * Returns transactions that have one of these tags in another spelling than `name`, soft-deleted
 * ones too, in the order of their keys after `after`.
 */
export function findTagged(
  { pool }: Database,
  accountId: string,
  of: { tags: readonly string[]; name: string | null; after: TaggedKey; limit: number },
): Promise<readonly TaggedKey[]> {
  const { tags, name, after, limit } = of
  return pool.any(sql.type(TaggedKey)`
    SELECT bank_account_id AS "bankAccountId", transaction_id AS "transactionId"
    FROM transactions
    WHERE account_id = ${accountId} AND tags IS NOT NULL
      AND (bank_account_id, transaction_id) > (${after.bankAccountId}, ${after.transactionId})
      AND EXISTS (
        SELECT FROM unnest(tags) AS tag WHERE tag IS DISTINCT FROM ${name} AND folded_text(tag) IN (
          SELECT folded_text(former) FROM unnest(${sql.array([...tags], 'text')}) AS former))
    ORDER BY bank_account_id, transaction_id LIMIT ${limit}`)
}
