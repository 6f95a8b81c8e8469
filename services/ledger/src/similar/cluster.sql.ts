import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import type { Database } from '@coffer/kit/database/database'
import { columnNames, columnsOf, recordsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { TransactionCluster } from './cluster.ts'
import type { ClusterRow } from './cluster-input.ts'

/** Cursor: the transaction after which a page begins. `date` is text as Postgres formats it. */
export type TextCursor = { date: string; transactionId: string }

export const firstPage: TextCursor = { date: 'infinity', transactionId: '' }

const TextRow = z.object({
  transactionId: z.string(),
  originalName: z.string(),
  originalMerchantName: z.string(),
  date: z.string(),
})

/** Returns a page of the texts of live transactions, latest date first, then largest ID. */
export function listTexts(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  { after, limit }: { after: TextCursor; limit: number },
): Promise<readonly (ClusterRow & TextCursor)[]> {
  return pool.any(sql.type(TextRow)`
    SELECT transaction_id AS "transactionId", original_name AS "originalName",
      original_merchant_name AS "originalMerchantName", date::text AS date
    FROM transactions
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId} AND deleted_at IS NULL
      AND (transactions.date, transaction_id) < (${after.date}::timestamptz, ${after.transactionId})
    ORDER BY transactions.date DESC, transaction_id DESC LIMIT ${limit}`)
}

/** Replaces the clusters of a live bank account (docs/similar-transactions.md#storing). */
export async function replaceClusters(
  { pool }: Database,
  { accountId, bankAccountId }: BankAccountKey,
  clusters: readonly TransactionCluster[],
): Promise<void> {
  const columns = columnNames(TransactionCluster)
  await pool.query(sql.unsafe`
    WITH owner AS MATERIALIZED (
      SELECT FROM bank_accounts
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND deleted_at IS NULL AND removed_at IS NULL
      FOR KEY SHARE
    ), found AS MATERIALIZED (
      SELECT ${columns} FROM
        jsonb_populate_recordset(NULL::transaction_clusters, ${recordsOf(clusters)}::jsonb)
      WHERE EXISTS (SELECT FROM owner)
    ), gone AS (
      DELETE FROM transaction_clusters AS stored
      WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND EXISTS (SELECT FROM owner)
        AND (signature, centroid) NOT IN (SELECT signature, centroid FROM found)
    )
    INSERT INTO transaction_clusters AS stored (${columns}) SELECT ${columns} FROM found
    ON CONFLICT ON CONSTRAINT transaction_clusters_once DO UPDATE
      SET members = EXCLUDED.members, debug = EXCLUDED.debug, merchant = EXCLUDED.merchant,
        updated_at = EXCLUDED.updated_at
      WHERE stored.members <> EXCLUDED.members`)
}

const Found = z.union([TransactionCluster, z.object({ transactionClusterId: z.null() })])

/** Returns a transaction's cluster, undefined if it has none; null for an unknown transaction. */
export async function findCluster(
  { pool }: Database,
  accountId: string,
  { bankAccountId, transactionId }: { bankAccountId: string; transactionId: string },
): Promise<TransactionCluster | undefined | null> {
  // MATERIALIZED forces a look-up by member: the planner might read all clusters of the account.
  const row = await pool.maybeOne(sql.type(Found)`
    WITH holding AS MATERIALIZED (
      SELECT * FROM transaction_clusters WHERE members @> ARRAY[${transactionId}]
    )
    SELECT ${columnsOf(TransactionCluster, { table: 'cluster' })}
    FROM transactions JOIN bank_accounts USING (account_id, bank_account_id)
      LEFT JOIN LATERAL (
        SELECT * FROM holding
        WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        LIMIT 1
      ) AS cluster ON true
    WHERE transactions.account_id = ${accountId}
      AND transactions.bank_account_id = ${bankAccountId}
      AND transaction_id = ${transactionId} AND removed_at IS NULL`)
  if (!row) return null
  return row.transactionClusterId === null ? undefined : row
}
