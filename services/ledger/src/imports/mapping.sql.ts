import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { columnsOf, insertOf } from '@coffer/kit/database/rows'
import { type Change, emitIfWritten, insertChanges } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
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

/** Inserts a mapping with its events. */
export async function insertMapping(
  tx: Tx,
  mapping: ImportMapping,
  changes: Change[],
): Promise<void> {
  await tx.query(sql.unsafe`
    WITH emitted AS (${insertChanges(changes)})
    ${insertOf('transaction_import_mappings', ImportMapping, mapping)}`)
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
 * Returns an account's mappings, newest first. Filters that are not null: `signature`, `before`
 * (only mappings older than this ID) and `ids`.
 */
export function listMappings(
  { pool }: Database,
  accountId: string,
  {
    signature,
    before,
    ids,
    limit,
    offset,
  }: {
    signature: string | null
    before: string | null
    ids: readonly string[]
    limit: number
    offset: number
  },
): Promise<readonly ImportMapping[]> {
  const isWanted = signature === null ? sql.fragment`TRUE` : sql.fragment`signature = ${signature}`
  const isOlder =
    before === null ? sql.fragment`TRUE` : sql.fragment`transaction_import_mapping_id < ${before}`
  const isAmong =
    ids.length === 0
      ? sql.fragment`TRUE`
      : sql.fragment`transaction_import_mapping_id = ANY(${sql.array(ids, 'text')})`
  return pool.any(sql.type(ImportMapping)`
    SELECT ${columns} FROM transaction_import_mappings
    WHERE account_id = ${accountId} AND ${isWanted} AND ${isOlder} AND ${isAmong}
      AND deleted_at IS NULL
    ORDER BY transaction_import_mapping_id DESC LIMIT ${limit} OFFSET ${offset}`)
}

/** Marks a mapping as deleted; its imports can still use it. Returns false if it does not exist. */
export async function deleteMapping(
  { autocommit }: Database,
  accountId: string,
  { transactionImportMappingId: objectId, now }: { transactionImportMappingId: string; now: Date },
): Promise<boolean> {
  const deletion = sql.fragment`
    UPDATE transaction_import_mappings SET deleted_at = ${now.toISOString()}
    WHERE account_id = ${accountId} AND deleted_at IS NULL
      AND transaction_import_mapping_id = ${objectId}`
  const objects = [{ type: 'mapping.deleted', objectId }] as const
  const changes = objectsChanged(ObjectsChangedSchema, { accountId, now }, objects)
  const { rowCount } = await autocommit((pool) => pool.query(emitIfWritten(deletion, changes)))
  return rowCount > 0
}
