import { groupsOf } from '@coffer/kit/database/batch'
import type { Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { recordsOf } from '@coffer/kit/database/rows'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import type { UploadKey } from '../../book/upload-key.ts'
import {
  type DaySpan,
  heldDaysMax,
  JoinCandidate,
  type JoinSpan,
  joinDaysMax,
  joinsMax,
  type NamedJoin,
  PendingRow,
  type RowPosting,
} from './row-joins.ts'

type Under = Pick<UploadKey, 'accountId' | 'bankAccountId'>

/**
 * SQL of the joined rows whose transaction still exists (it may be purged), and whose upload is not
 * undone (until 0.5: a replica of 0.3 undoes an import without deleting its joins).
 */
export const joinedRows = sql.fragment`(
  SELECT one.* FROM joined_rows AS one JOIN uploads USING (account_id, bank_account_id,
    transaction_upload_id)
  WHERE undone_at IS NULL AND EXISTS (
    SELECT FROM transactions WHERE transactions.account_id = one.account_id
      AND transactions.bank_account_id = one.bank_account_id
      AND transactions.transaction_id = one.transaction_id))`

/** Amounts per statement: preparing a larger one would block the event loop and delay requests. */
const amountsPerStatement = 5000

/** Decides how row identifiers are built: the format of the file, for CSV also the mapping. */
export type IdentifiedBy = { format: string; transactionImportMappingId?: string | null }

/**
 * Yields the live transactions that new rows of a file may duplicate: with equal amounts and close
 * days. Excluded are posted transactions outside the days of this file that come from files with
 * identifiers of the same kind: this file lacks them only because it does not reach their days.
 * Within its days, a missing identifier shows that the bank or a spreadsheet has changed the row
 * (docs/files/joining.md).
 */
export async function* listJoinable(
  connection: Queries,
  under: Under,
  { span, whole, ...by }: { span: JoinSpan; whole: DaySpan } & IdentifiedBy,
): AsyncGenerator<readonly JoinCandidate[]> {
  const isOwn = ownBy(under)
  for (const amounts of groupsOf([...span.amounts], amountsPerStatement)) {
    yield await connection.any(sql.type(JoinCandidate)`
      WITH joined AS MATERIALIZED (${joinsOf(isOwn)})
      SELECT ${candidateColumns}
      FROM transactions AS one LEFT JOIN joined USING (transaction_id)
      WHERE ${isOwn} AND deleted_at IS NULL
        AND date BETWEEN ${at(span.first)}::timestamptz - ${heldMargin}::interval
          AND ${at(span.last)}::timestamptz + ${margin}::interval
        AND amount = ANY(${sql.array(amounts.map(String), 'int8')})
        AND (is_pending OR date BETWEEN ${at(whole.first)}::timestamptz - ${clockMargin}
            AND ${at(whole.last)}::timestamptz + ${clockMargin}
          OR NOT array_append(uploads, transaction_upload_id) && ARRAY(${uploadsAlike(under, by)}))
      ORDER BY transaction_id`)
  }
}

/** Returns the live transactions with the given IDs. */
export async function listNamed(
  connection: Queries,
  under: Under,
  transactionIds: readonly string[],
): Promise<readonly JoinCandidate[]> {
  const isOwn = ownBy(under)
  return connection.any(sql.type(JoinCandidate)`
    WITH joined AS MATERIALIZED (${joinsOf(isOwn)})
    SELECT ${candidateColumns}
    FROM transactions AS one LEFT JOIN joined USING (transaction_id)
    WHERE ${isOwn} AND deleted_at IS NULL
      AND transaction_id = ANY(${sql.array(transactionIds, 'text')})`)
}

/**
 * Returns the newest 500 live pending transactions from files, by the identifiers of their rows,
 * without those joined to a row of a later file.
 */
export async function listPendingRows(
  connection: Queries,
  under: Under,
): Promise<Map<string, PendingRow>> {
  const found = await connection.any(sql.type(PendingRow)`
    SELECT transaction_id AS "transactionId", amount, is_pending AS "isPending",
      upload_identifier AS "uploadIdentifier"
    FROM transactions AS one
    WHERE ${ownBy(under)} AND is_pending AND deleted_at IS NULL AND upload_identifier IS NOT NULL
      AND NOT EXISTS (
        SELECT FROM ${joinedRows} AS joined WHERE joined.account_id = one.account_id
          AND joined.bank_account_id = one.bank_account_id
          AND joined.upload_identifier = one.upload_identifier)
    ORDER BY date DESC, transaction_id DESC LIMIT ${joinsMax}`)
  return new Map(found.map((one) => [one.uploadIdentifier, one]))
}

/** SQL of a condition: the row `one` belongs to the bank account. */
export function ownBy({ accountId, bankAccountId }: Under): FragmentSqlToken {
  return sql.fragment`one.account_id = ${accountId} AND one.bank_account_id = ${bankAccountId}`
}

/** SQL of the uploads whose row identifiers are built as those of the file are. */
function uploadsAlike(
  { accountId, bankAccountId }: Under,
  { format, transactionImportMappingId = null }: IdentifiedBy,
): FragmentSqlToken {
  const isOwn = ownBy({ accountId, bankAccountId })
  if (transactionImportMappingId === null) {
    return sql.fragment`
      SELECT transaction_upload_id FROM uploads AS one WHERE ${isOwn} AND format = ${format}`
  }
  return sql.fragment`
      SELECT transaction_upload_id FROM transaction_imports AS one
        JOIN transaction_import_mappings AS its USING (account_id, transaction_import_mapping_id)
        JOIN transaction_import_mappings AS this USING (account_id)
      WHERE ${isOwn} AND transaction_upload_id IS NOT NULL
        AND this.transaction_import_mapping_id = ${transactionImportMappingId}
        AND its.mapping -> 'id' = this.mapping -> 'id'
        AND its.mapping -> 'date' = this.mapping -> 'date'`
}

/** SQL of the rows joined to each transaction: their identifiers and uploads. */
function joinsOf(isOwn: FragmentSqlToken): FragmentSqlToken {
  return sql.fragment`
      SELECT transaction_id, array_agg(upload_identifier) AS identifiers,
        array_agg(transaction_upload_id) AS uploads
      FROM ${joinedRows} AS one WHERE ${isOwn} GROUP BY transaction_id`
}

const candidateColumns = sql.fragment`transaction_id AS "transactionId", amount, date, name,
      merchant_name AS "merchantName", original_name AS "originalName",
      original_merchant_name AS "originalMerchantName", is_pending AS "isPending",
      array_remove(array_append(identifiers, upload_identifier), NULL) AS identifiers`

/**
 * Bounds of the time between a row and its transaction; the hour covers daylight-saving changes.
 */
const margin = `${joinDaysMax} days 1 hour`
const heldMargin = `${heldDaysMax} days 1 hour`
const clockMargin = sql.fragment`interval '1 hour'`

function at(ms: number): string {
  return new Date(ms).toISOString()
}

/** Stores the joins that the client names for an upload. */
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

const KeptCount = z.object({ transactionUploadId: z.string(), kept: z.bigint() })

/**
 * Returns by upload ID the number of its transactions that an undo would keep (`keepJoined`);
 * uploads without such transactions have no entry.
 */
export async function countKept(
  { pool }: { pool: Queries },
  accountId: string,
  uploads: readonly UploadKey[],
): Promise<ReadonlyMap<string, bigint>> {
  const ids = uploads.map(({ transactionUploadId }) => transactionUploadId)
  const found = await pool.any(sql.type(KeptCount)`
    SELECT one.transaction_upload_id AS "transactionUploadId",
      count(DISTINCT transaction_id) AS kept
    FROM ${joinedRows} AS joined
      JOIN transactions AS one USING (account_id, bank_account_id, transaction_id)
    WHERE account_id = ${accountId}
      AND one.transaction_upload_id = ANY(${sql.array(ids, 'text')})
    GROUP BY one.transaction_upload_id`)
  return new Map(found.map((one) => [one.transactionUploadId, one.kept]))
}

/**
 * Stores the joins of an upload, so that later imports skip the joined rows. Replaces an earlier
 * join of the same row that has ended: one that `joinedRows` leaves out.
 */
export async function insertJoinedRows(
  tx: Tx,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
  joins: readonly RowPosting[],
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
      original_merchant_name = excluded.original_merchant_name, posted_by = excluded.posted_by,
      former_amount = excluded.former_amount, former_date = excluded.former_date`)
}
