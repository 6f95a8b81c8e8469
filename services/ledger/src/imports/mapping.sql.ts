import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { columnsOf, insertOf } from '@coffer/kit/database/rows'
import { sql } from 'slonik'
import { z } from 'zod'
import { CsvMapping } from './formats/csv/csv-mapping.ts'

export const ImportMapping = z.object({
  accountId: z.string(),
  transactionImportMappingId: z.string(),
  signature: z.string(),
  mapping: CsvMapping,
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
})
export type ImportMapping = z.infer<typeof ImportMapping>

const columns = columnsOf(ImportMapping, { table: 'transaction_import_mappings' })

export async function insertMapping(tx: Tx, mapping: ImportMapping): Promise<void> {
  await tx.query(sql.unsafe`${insertOf('transaction_import_mappings', ImportMapping, mapping)}`)
}

export function findMapping(
  { pool }: Database,
  accountId: string,
  transactionImportMappingId: string,
): Promise<ImportMapping | null> {
  return pool.maybeOne(sql.type(ImportMapping)`
    SELECT ${columns} FROM transaction_import_mappings
    WHERE account_id = ${accountId} AND deleted_at IS NULL
      AND transaction_import_mapping_id = ${transactionImportMappingId}`)
}

/**
 * Returns an account's mappings, newest first. A `signature` that is not null filters them, and a
 * `before` that is not null keeps those older than this ID.
 */
export function listMappings(
  { pool }: Database,
  accountId: string,
  {
    signature,
    before,
    limit,
    offset,
  }: { signature: string | null; before: string | null; limit: number; offset: number },
): Promise<readonly ImportMapping[]> {
  const isWanted = signature === null ? sql.fragment`TRUE` : sql.fragment`signature = ${signature}`
  const isOlder =
    before === null ? sql.fragment`TRUE` : sql.fragment`transaction_import_mapping_id < ${before}`
  return pool.any(sql.type(ImportMapping)`
    SELECT ${columns} FROM transaction_import_mappings
    WHERE account_id = ${accountId} AND ${isWanted} AND ${isOlder} AND deleted_at IS NULL
    ORDER BY transaction_import_mapping_id DESC LIMIT ${limit} OFFSET ${offset}`)
}

/** Marks a mapping as deleted; its imports can still use it. Returns false if it does not exist. */
export async function deleteMapping(
  { pool }: Database,
  accountId: string,
  { transactionImportMappingId, now }: { transactionImportMappingId: string; now: Date },
): Promise<boolean> {
  const { rowCount } = await pool.query(sql.unsafe`
    UPDATE transaction_import_mappings SET deleted_at = ${now.toISOString()}
    WHERE account_id = ${accountId} AND deleted_at IS NULL
      AND transaction_import_mapping_id = ${transactionImportMappingId}`)
  return rowCount > 0
}
