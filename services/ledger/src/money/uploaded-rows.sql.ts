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

/**
 * Inserts transactions of an uploaded file, except those whose `uploadIdentifier` is stored;
 * returns the IDs of those inserted. Runs before the bank account is locked: a short lock.
 */
export async function insertUploaded(
  tx: Tx,
  { transactionUploadId }: UploadKey,
  transactions: readonly Transaction[],
): Promise<string[]> {
  const columns = columnNames(Transaction)
  const rows = recordsOf(transactions.map((one) => ({ ...one, searchedText: searchedTextOf(one) })))
  // With the locales C and Turkish, Postgres folds other letters than the process: it folds all.
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
 * Deletes all transactions of an upload, soft-deleted ones too, and all joins to them and of its
 * own rows, so that their identifiers can be imported again. Returns the IDs of live ones, and the
 * minor units that each envelope gave to them, and got by refunds among them.
 */
export async function removeUploaded(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
): Promise<{ transactionIds: string[]; given: Given[] }> {
  const isOwn = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}`
  const removed = await tx.any(sql.type(Removed)`
    WITH gone AS (
      DELETE FROM transactions WHERE ${isOwn} AND transaction_upload_id = ${transactionUploadId}
      RETURNING transaction_id, spending_id, spending_amount, refund_amount, deleted_at
    ), parted AS (
      DELETE FROM joined_rows WHERE ${isOwn} AND (transaction_upload_id = ${transactionUploadId}
        OR transaction_id IN (SELECT transaction_id FROM gone))
    )
    SELECT spending_id AS "spendingId", sum(spending_amount)::bigint AS given,
      coalesce(sum(refund_amount), 0)::bigint AS refunded,
      array_agg(transaction_id) AS "transactionIds" FROM gone
    WHERE deleted_at IS NULL GROUP BY spending_id`)
  return {
    transactionIds: removed.flatMap(({ transactionIds }) => transactionIds),
    given: removed.flatMap(({ spendingId, given, refunded }) =>
      spendingId === null ? [] : { spendingId, given: given ?? 0n, refunded },
    ),
  }
}
