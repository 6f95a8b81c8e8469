import type { Transaction as Tx } from '@coffer/kit/database/database'
import { sql } from 'slonik'
import { z } from 'zod'
import type { UploadKey } from '../../book/upload-key.ts'
import { ownBy } from './joined-rows.sql.ts'
import type { PostedRow } from './posting.ts'
import { isPosting, type RowJoin, type RowPosting } from './row-joins.ts'

/**
 * Returns whether all joined transactions are still live and have the same amount. Requires the
 * lock of the bank account, which prevents concurrent changes.
 */
export async function areUnchanged(
  tx: Tx,
  { accountId, bankAccountId }: Omit<UploadKey, 'transactionUploadId'>,
  joins: readonly RowPosting[],
): Promise<boolean> {
  if (joins.length === 0) return true
  const ids = joins.map(({ transaction }) => transaction.transactionId)
  const amounts = joins.map(({ transaction }) => String(transaction.amount))
  const { rowCount } = await tx.query(sql.unsafe`
    SELECT FROM unnest(${sql.array(ids, 'text')}, ${sql.array(amounts, 'int8')})
      AS joined (transaction_id, amount)
    JOIN transactions AS one USING (transaction_id, amount)
    WHERE ${ownBy({ accountId, bankAccountId })} AND deleted_at IS NULL`)
  return rowCount === joins.length
}

/**
 * Marks and returns the joins that post their transactions: the transactions are still live and
 * pending. Requires the lock of the bank account, which prevents concurrent changes.
 */
export async function notePosting(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
  joins: readonly RowPosting[],
): Promise<RowPosting[]> {
  const posting = joins.filter(isPosting)
  if (posting.length === 0) return []
  const ids = posting.map(({ transaction }) => transaction.transactionId)
  const same = posting.flatMap(({ transaction, isSame }) =>
    isSame ? transaction.transactionId : [],
  )
  const isSame = sql.fragment`joined.transaction_id = ANY(${sql.array(same, 'text')})`
  const noted = await tx.anyFirst(sql.type(TransactionId)`
    UPDATE joined_rows AS one SET posted_by = one.transaction_upload_id,
      former_amount = CASE WHEN ${isSame} THEN joined.amount END,
      former_date = CASE WHEN ${isSame} THEN joined.date END
    FROM transactions AS joined
    WHERE ${ownBy({ accountId, bankAccountId })} AND joined.account_id = ${accountId}
      AND joined.bank_account_id = ${bankAccountId}
      AND one.transaction_upload_id = ${transactionUploadId}
      AND one.transaction_id = joined.transaction_id AND is_pending AND deleted_at IS NULL
      AND joined.transaction_id = ANY(${sql.array(ids, 'text')})
    RETURNING one.transaction_id AS "transactionId"`)
  return posting.filter(({ transaction }) => noted.includes(transaction.transactionId))
}

const TransactionId = z.object({ transactionId: z.string() })
const Posted = TransactionId.extend({
  postedBy: z.string(),
  amount: z.bigint(),
  date: z.date(),
  formerAmount: z.bigint().nullable(),
  formerDate: z.date().nullable(),
})

const Change = TransactionId.extend({ balanceChange: z.bigint() })

/**
 * Returns, by transaction ID, the minor units by which `postJoined` will change the current balance
 * when it posts the pending transactions of joins. Transactions that have moved no balance are left
 * out, because posting them moves none either.
 */
export async function listBalanceChanges(
  tx: Tx,
  { accountId, bankAccountId }: Omit<UploadKey, 'transactionUploadId'>,
  joins: readonly RowJoin[],
): Promise<ReadonlyMap<string, bigint>> {
  const posting = joins.filter(isPosting)
  if (posting.length === 0) return new Map()
  const ids = posting.map(({ transaction }) => transaction.transactionId)
  const found = await tx.any(sql.type(Change)`
    SELECT one.transaction_id AS "transactionId",
      (-one.amount - coalesce(sum(delta) FILTER (WHERE pot = 'current'), 0))::bigint
        AS "balanceChange"
    FROM transactions AS one JOIN journal AS booked ON booked.account_id = one.account_id
      AND booked.bank_account_id = one.bank_account_id AND booked.cause_id = one.transaction_id
    WHERE ${ownBy({ accountId, bankAccountId })}
      AND one.transaction_id = ANY(${sql.array(ids, 'text')})
      AND booked.spending_id IS NULL AND booked.cause IN ('transaction', 'deletion')
    GROUP BY one.transaction_id, one.amount
    HAVING sum(delta) FILTER (WHERE pot = 'current') <> 0
      OR sum(delta) FILTER (WHERE pot = 'available') <> 0`)
  return new Map(found.map((one) => [one.transactionId, one.balanceChange]))
}

/**
 * Deletes the joins of an upload. Returns the transactions that it posted, to make them pending
 * again. If a row of another upload is joined to a transaction, too, the posting is transferred to
 * that upload instead.
 */
export function partRows(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
): Promise<readonly PostedRow[]> {
  const isOwn = ownBy({ accountId, bankAccountId })
  return tx.any(sql.type(Posted)`
    WITH parted AS (
      DELETE FROM joined_rows AS one
      WHERE ${isOwn} AND transaction_upload_id = ${transactionUploadId}
      RETURNING transaction_id, posted_by, amount, date, former_amount, former_date
    ), left_over AS (
      UPDATE joined_rows AS one SET posted_by = parted.posted_by,
        former_amount = parted.former_amount, former_date = parted.former_date FROM parted
      WHERE ${isOwn} AND transaction_upload_id <> ${transactionUploadId}
        AND one.transaction_id = parted.transaction_id AND parted.posted_by IS NOT NULL
      RETURNING one.transaction_id
    )
    SELECT transaction_id AS "transactionId", posted_by AS "postedBy", amount, date,
      former_amount AS "formerAmount", former_date AS "formerDate" FROM parted
    WHERE posted_by IS NOT NULL AND transaction_id NOT IN (SELECT transaction_id FROM left_over)
    ORDER BY transaction_id`)
}
