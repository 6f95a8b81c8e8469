import { groupsOf } from '@coffer/kit/database/batch'
import type { Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { recordsOf } from '@coffer/kit/database/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { UploadKey } from '../../book/upload-key.ts'
import {
  Joinable,
  type JoinSpan,
  joinDaysMax,
  type NamedJoin,
  NamedTransaction,
  type RowJoin,
} from './row-joins.ts'

type Under = Pick<UploadKey, 'accountId' | 'bankAccountId'>

/**
 * SQL of the joined rows whose transaction is still there, as it may be deleted for good, and whose
 * upload is not undone (until 0.5: a replica of 0.3 undoes an import without parting its rows).
 */
export const joinedRows = sql.fragment`(
  SELECT one.* FROM joined_rows AS one JOIN uploads USING (account_id, bank_account_id,
    transaction_upload_id)
  WHERE undone_at IS NULL AND EXISTS (
    SELECT FROM transactions WHERE transactions.account_id = one.account_id
      AND transactions.bank_account_id = one.bank_account_id
      AND transactions.transaction_id = one.transaction_id))`

/** Amounts in a statement: to prepare more would delay requests. */
const amountsPerStatement = 5000

/**
 * Yields the transactions that rows of a file of this format may be, those of some amounts at a
 * time: live, posted, with an amount
 * of the rows near their days, and neither stored by nor joined to a file of the same format, whose
 * identifiers tell them apart.
 */
export async function* listJoinable(
  connection: Queries,
  { accountId, bankAccountId }: Under,
  { span, format }: { span: JoinSpan; format: string },
): AsyncGenerator<readonly Joinable[]> {
  const { first, last } = span
  const isOwn = ownBy({ accountId, bankAccountId })
  for (const amounts of groupsOf([...span.amounts], amountsPerStatement)) {
    yield await connection.any(sql.type(Joinable)`
      WITH ${sameFormat(isOwn, format)}
      SELECT ${joinableColumns}
      FROM transactions AS one
      WHERE ${isOwn} AND deleted_at IS NULL AND NOT is_pending
        AND date BETWEEN ${new Date(first).toISOString()}::timestamptz - ${margin}::interval
          AND ${new Date(last).toISOString()}::timestamptz + ${margin}::interval
        AND amount = ANY(${sql.array(amounts.map(String), 'int8')})
        AND NOT ${isTaken(isOwn)}
      ORDER BY transaction_id`)
  }
}

/** Returns those of the transactions that are live and posted. */
export async function listNamed(
  connection: Queries,
  under: Under,
  { transactionIds, format }: { transactionIds: readonly string[]; format: string },
): Promise<readonly NamedTransaction[]> {
  const isOwn = ownBy(under)
  return connection.any(sql.type(NamedTransaction)`
    WITH ${sameFormat(isOwn, format)}
    SELECT ${joinableColumns}, ${isTaken(isOwn)} AS "isTaken"
    FROM transactions AS one
    WHERE ${isOwn} AND deleted_at IS NULL AND NOT is_pending
      AND transaction_id = ANY(${sql.array(transactionIds, 'text')})`)
}

function ownBy({ accountId, bankAccountId }: Under): FragmentSqlToken {
  return sql.fragment`one.account_id = ${accountId} AND one.bank_account_id = ${bankAccountId}`
}

function sameFormat(isOwn: FragmentSqlToken, format: string): FragmentSqlToken {
  return sql.fragment`same_format AS MATERIALIZED (
      SELECT transaction_upload_id FROM uploads AS one WHERE ${isOwn} AND format = ${format}
    )`
}

const joinableColumns = sql.fragment`transaction_id AS "transactionId", amount, date, name,
      merchant_name AS "merchantName", original_name AS "originalName",
      original_merchant_name AS "originalMerchantName"`

/** SQL of whether a file of the same format has stored or joined the transaction. */
function isTaken(isOwn: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`(
        transaction_upload_id IS NOT NULL
          AND transaction_upload_id IN (SELECT transaction_upload_id FROM same_format)
        OR transaction_id IN (
          SELECT one.transaction_id FROM ${joinedRows} AS one JOIN same_format
            USING (transaction_upload_id) WHERE ${isOwn}))`
}

/** The days between a row and its transaction, and an hour where the clock was changed. */
const margin = `${joinDaysMax} days 1 hour`

/** Stores the joins that the user names for an upload. */
export async function keepNamedJoins(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
  joins: readonly NamedJoin[],
): Promise<void> {
  if (joins.length === 0) return
  await tx.query(sql.unsafe`
    UPDATE uploads SET joins = ${sql.jsonb(joins)}
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND transaction_upload_id = ${transactionUploadId}`)
}

const Identifier = z.object({ identifier: z.string() })

/** Returns the identifiers of all rows that are joined to transactions of the bank account. */
export async function listJoinedIdentifiers(
  tx: Tx,
  { accountId, bankAccountId }: Under,
): Promise<Set<string>> {
  const found = await tx.anyFirst(sql.type(Identifier)`
    SELECT upload_identifier AS identifier FROM ${joinedRows} AS joined
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}`)
  return new Set(found)
}

/** Stores the joins of an upload, so that its rows are known; replaces those that have ended. */
export async function insertJoinedRows(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
  joins: readonly RowJoin[],
): Promise<void> {
  if (joins.length === 0) return
  const rows = joins.map(({ row, transaction: { transactionId } }) => {
    const { uploadIdentifier, amount, date, originalName, originalMerchantName } = row
    const texts = { originalName, originalMerchantName }
    return { uploadIdentifier, transactionId, amount, date, ...texts }
  })
  await tx.query(sql.unsafe`
    INSERT INTO joined_rows (account_id, bank_account_id, transaction_upload_id, upload_identifier,
      transaction_id, amount, date, original_name, original_merchant_name)
    SELECT ${accountId}, ${bankAccountId}, ${transactionUploadId}, upload_identifier,
      transaction_id, amount, date, original_name, original_merchant_name
    FROM jsonb_populate_recordset(NULL::joined_rows, ${recordsOf(rows)}::jsonb)
    ON CONFLICT (account_id, bank_account_id, upload_identifier) DO UPDATE SET
      transaction_upload_id = excluded.transaction_upload_id,
      transaction_id = excluded.transaction_id, amount = excluded.amount, date = excluded.date,
      original_name = excluded.original_name,
      original_merchant_name = excluded.original_merchant_name`)
}
