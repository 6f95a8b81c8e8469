import type { Transaction as Tx } from '@coffer/kit/database/database'
import { columnNames, recordsOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { searchedTextOf, Transaction } from '../book/transaction.ts'
import type { UploadKey } from '../book/upload-key.ts'
import { Given } from './spend.ts'

const Inserted = z.object({ inserted: z.array(z.string()) })
const Removed = Given.extend({
  spendingId: z.string().nullable(),
  given: z.bigint().nullable(),
  transactionIds: z.array(z.string()),
})
const Kept = z.object({ transactionId: z.string(), transactionUploadId: z.string() })

/**
 * Inserts transactions of an uploaded file, except those whose `uploadIdentifier` is stored. Runs
 * before the bank account is locked, to keep the lock short. Returns the inserted IDs.
 */
export async function insertUploaded(
  tx: Tx,
  { transactionUploadId }: UploadKey,
  transactions: readonly Transaction[],
): Promise<string[]> {
  const columns = columnNames(Transaction)
  const rows = recordsOf(transactions.map((one) => ({ ...one, searchedText: searchedTextOf(one) })))
  // `searched_text` is folded by Node.js. In a database whose locale folds letters differently (C,
  // Turkish), the column stays null, and SQL folds the texts at each search.
  return tx.oneFirst(sql.type(Inserted)`
    WITH stored AS (
      INSERT INTO transactions (${columns}, transaction_upload_id, searched_text)
      SELECT ${columns}, ${transactionUploadId},
        CASE WHEN lower('IЖ') = 'iж' THEN searched_text END
      FROM jsonb_populate_recordset(NULL::transactions, ${rows}::jsonb)
      ON CONFLICT (account_id, bank_account_id, upload_identifier)
        WHERE upload_identifier IS NOT NULL DO NOTHING
      RETURNING transaction_id
    ) SELECT coalesce(array_agg(transaction_id), '{}') AS inserted FROM stored`)
}

/**
 * Moves transactions of an upload, to which rows of other imports are joined, to one of these
 * imports each: first to an import that posted the transaction, then to the earliest. The
 * transaction gets the identifier and the bank's texts of the joined row, whose join ends. Returns
 * the transactions with their new uploads. These stay locked, so that a concurrent undo of them
 * waits and then finds the transactions.
 */
export function keepJoined(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
): Promise<readonly z.infer<typeof Kept>[]> {
  const own = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  return tx.any(sql.type(Kept)`
    WITH joined AS MATERIALIZED (
      SELECT joined.* FROM (SELECT * FROM joined_rows WHERE ${own}) AS joined
        JOIN transactions AS one USING (account_id, bank_account_id, transaction_id)
      WHERE one.transaction_upload_id = ${transactionUploadId}
        AND joined.transaction_upload_id <> ${transactionUploadId}
        AND NOT EXISTS (
          SELECT FROM transactions AS other
          WHERE other.account_id = ${accountId} AND other.bank_account_id = ${bankAccountId}
            AND other.upload_identifier = joined.upload_identifier
            AND other.transaction_id <> joined.transaction_id)
    ), held AS MATERIALIZED (
      SELECT transaction_upload_id FROM uploads
      WHERE ${own} AND undone_at IS NULL
        AND transaction_upload_id IN (SELECT transaction_upload_id FROM joined)
      ORDER BY transaction_upload_id FOR UPDATE
    ), chosen AS (
      SELECT DISTINCT ON (transaction_id) joined.*
      FROM joined JOIN held USING (transaction_upload_id)
      ORDER BY transaction_id, posted_by IS NULL, transaction_upload_id, upload_identifier
    ), kept AS (
      UPDATE transactions AS one SET transaction_upload_id = chosen.transaction_upload_id,
        upload_identifier = chosen.upload_identifier, original_name = chosen.original_name,
        original_merchant_name = chosen.original_merchant_name
      FROM chosen
      WHERE one.account_id = ${accountId} AND one.bank_account_id = ${bankAccountId}
        AND one.transaction_id = chosen.transaction_id
      RETURNING one.transaction_id, one.transaction_upload_id, one.upload_identifier
    ), parted AS (
      DELETE FROM joined_rows
      WHERE ${own} AND upload_identifier IN (SELECT upload_identifier FROM kept)
    ), counted AS (
      UPDATE uploads SET imported_count = imported_count + counts.kept,
        joined_count = joined_count - counts.kept
      FROM (
        SELECT transaction_upload_id AS id, count(*) AS kept FROM kept GROUP BY id
      ) AS counts
      WHERE ${own} AND transaction_upload_id = counts.id
    )
    SELECT transaction_id AS "transactionId", transaction_upload_id AS "transactionUploadId"
    FROM kept ORDER BY transaction_id`)
}

/**
 * Deletes all transactions of an upload, soft-deleted ones too, with all joins to them and all
 * joins of the upload's rows, so that their identifiers can be imported again. Returns the IDs of
 * live transactions, and per envelope and day the minor units given to them and got by refunds.
 */
export async function removeUploaded(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
): Promise<{ transactionIds: string[]; given: Given[] }> {
  const isOwn = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const removed = await tx.any(sql.type(Removed)`
    WITH gone AS (
      DELETE FROM transactions WHERE ${isOwn} AND transaction_upload_id = ${transactionUploadId}
      RETURNING transaction_id, spending_id, date, spending_amount, refund_amount, deleted_at
    ), parted AS (
      DELETE FROM joined_rows WHERE ${isOwn} AND (transaction_upload_id = ${transactionUploadId}
        OR transaction_id IN (SELECT transaction_id FROM gone))
    )
    SELECT spending_id AS "spendingId", date, sum(spending_amount)::bigint AS given,
      coalesce(sum(refund_amount), 0)::bigint AS refunded,
      array_agg(transaction_id) AS "transactionIds" FROM gone
    WHERE deleted_at IS NULL GROUP BY spending_id, date`)
  return {
    transactionIds: removed.flatMap(({ transactionIds }) => transactionIds),
    given: removed.flatMap(({ spendingId, date, given, refunded }) =>
      spendingId === null ? [] : { spendingId, date, given: given ?? 0n, refunded },
    ),
  }
}
