import type { Database } from '@coffer/kit/database/database'
import { columnNames, columnsOf, recordsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import type { BankAccountKey } from '../accounts/bank-account.ts'
import { TransactionCluster } from './cluster.ts'
import type { ClusterRow } from './cluster-input.ts'

/** Where a page begins: after this transaction. `date` is as Postgres writes it. */
export type TextCursor = { date: string; transactionId: string }

/** Before the newest transaction. */
export const newest: TextCursor = { date: 'infinity', transactionId: '' }

const TextRow = z.object({
  transactionId: z.string(),
  originalName: z.string(),
  originalMerchantName: z.string(),
  date: z.string(),
})

/** A page of the texts of live transactions, newest date first, then newest ID. */
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

/**
 * Makes these the clusters of the bank account, unless it is archived or its link deleted: those
 * without a counterpart go, new ones come. Of one that stays only what its members have changed is
 * written, and nothing where they have not (spec/ledger.md 5.7).
 */
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

/**
 * The cluster a transaction is in: undefined where it is in none, null where there is no such
 * transaction, or its link is deleted.
 */
export async function findCluster(
  { pool }: Database,
  accountId: string,
  { bankAccountId, transactionId }: { bankAccountId: string; transactionId: string },
): Promise<TransactionCluster | undefined | null> {
  // By the member first: otherwise the planner may read every cluster of the bank account.
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
