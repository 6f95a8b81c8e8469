import type { Database, Transaction as Tx } from '@coffer/kit/database/database'
import { columnsOf, insertOf } from '@coffer/kit/database/rows'
import { type Change, insertChanges } from '@coffer/kit/events/changes'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { type AccountSettings, insertSettings } from '../tenancy/account-settings.sql.ts'
import { CsvImport, type ImportKey } from './formats/csv/csv-import.ts'
import { CsvMapping } from './formats/csv/csv-mapping.ts'
import { StoredFile } from './storage/stored-file.ts'
import { Upload, type UploadKey } from './upload.ts'

const stored = CsvImport.omit({ status: true, error: true, completedAt: true })
const columns = columnsOf(stored, { table: 'imports' })
// Not the words of the partial index: one import is found by its key.
const awaitsPreview = sql.fragment`
  status NOT IN ('mapping', 'preview', 'pending-processing', 'failed')`
const CsvFormat = z.object({ delimiter: z.string(), mapping: CsvMapping })
const Identifier = z.object({ identifier: z.string() })

/** Stores a file, its import and the settings that reading it will need. */
export async function insertImport(
  tx: Tx,
  { file, made, settings }: { file: StoredFile; made: CsvImport; settings: AccountSettings },
): Promise<void> {
  await tx.query(sql.unsafe`
    WITH known AS (${insertSettings(settings)}),
      stored AS (${insertOf('files', StoredFile, file)})
    ${insertOf('transaction_imports', CsvImport, made)}`)
}

/** The import with the state it is in by now, unless its bank account's link is deleted. */
export function findImport(
  { pool }: Pick<Database, 'pool'>,
  key: ImportKey,
): Promise<CsvImport | null> {
  return pool.maybeOne(sql.type(CsvImport)`
    SELECT ${columns},
      CASE
        WHEN uploads.status = 'pending' THEN 'pending-processing'
        WHEN uploads.status IS NOT NULL THEN uploads.status
        WHEN imports.status <> 'failed' AND files.deleted_at IS NOT NULL THEN 'expired'
        ELSE imports.status
      END AS status,
      coalesce(uploads.error, imports.error) AS error,
      coalesce(uploads.completed_at, imports.completed_at) AS "completedAt"
    FROM transaction_imports imports
      JOIN bank_accounts USING (account_id, bank_account_id)
      JOIN files ON files.account_id = imports.account_id AND files.file_id = imports.file_id
      LEFT JOIN uploads ON uploads.account_id = imports.account_id
        AND uploads.bank_account_id = imports.bank_account_id
        AND uploads.transaction_upload_id = imports.transaction_upload_id
    WHERE ${isImport(key)} AND removed_at IS NULL`)
}

/** Gives an import its mapping, unless it has one by now, and says so; false when it has. */
export async function askForPreview(
  tx: Tx,
  key: ImportKey,
  asked: { transactionImportMappingId: string; now: Date; changes: Change[] },
): Promise<boolean> {
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE transaction_imports imports SET status = 'pending-preview',
      transaction_import_mapping_id = ${asked.transactionImportMappingId},
      updated_at = ${at(asked.now)}
    WHERE ${isImport(key)} AND status = 'mapping'`)
  if (rowCount === 0) return false
  await tx.query(sql.unsafe`${insertChanges(asked.changes)}`)
  return true
}

/** Hands the file of an import to an upload, unless it has one by now; false when it has. */
export async function askForProcessing(
  tx: Tx,
  key: ImportKey,
  { upload, now, changes }: { upload: Upload; now: Date; changes: Change[] },
): Promise<boolean> {
  await tx.query(sql.unsafe`${insertOf('uploads', Upload, upload)}`)
  const { rowCount } = await tx.query(sql.unsafe`
    UPDATE transaction_imports imports SET status = 'pending-processing',
      transaction_upload_id = ${upload.transactionUploadId}, updated_at = ${at(now)}
    WHERE ${isImport(key)} AND status = 'preview'`)
  if (rowCount === 0) return false
  await tx.query(sql.unsafe`${insertChanges(changes)}`)
  return true
}

/** Whether the preview of an import is still to come. */
export function isAwaitingPreview({ pool }: Database, key: ImportKey): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM transaction_imports imports WHERE ${isImport(key)} AND ${awaitsPreview}`)
}

/** Ends the preview of an import, well with a message ImportPreview, or with what is wrong. */
export async function savePreview(
  { pool }: Database,
  key: ImportKey,
  { result, now }: { result: { preview: Uint8Array } | { error: string }; now: Date },
): Promise<void> {
  const outcome =
    'error' in result
      ? sql.fragment`status = 'failed', error = ${result.error}, completed_at = ${at(now)}`
      : sql.fragment`status = 'preview', preview = ${sql.binary(Buffer.from(result.preview))}`
  await pool.query(sql.unsafe`
    UPDATE transaction_imports imports SET ${outcome}, updated_at = ${at(now)}
    WHERE ${isImport(key)} AND ${awaitsPreview}`)
}

/** How the file of an import is to be read; null while it has no mapping. */
export function findImportFormat({ pool }: Database, key: ImportKey) {
  return pool.maybeOne(sql.type(CsvFormat)`
    SELECT delimeter AS delimiter, mapping FROM transaction_imports imports
      JOIN transaction_import_mappings USING (account_id, transaction_import_mapping_id)
    WHERE ${isImport(key)}`)
}

/** How the file of an upload that an import has led to is to be read. */
export function findUploadFormat({ pool }: Database, key: UploadKey) {
  return pool.maybeOne(sql.type(CsvFormat)`
    SELECT delimeter AS delimiter, mapping FROM transaction_imports imports
      JOIN transaction_import_mappings USING (account_id, transaction_import_mapping_id)
    WHERE imports.account_id = ${key.accountId} AND bank_account_id = ${key.bankAccountId}
      AND transaction_upload_id = ${key.transactionUploadId}`)
}

/** Those of these identifiers that a bank account has stored, deleted rows included. */
export async function listKnownIdentifiers(
  { pool }: Database,
  { accountId, bankAccountId }: Pick<ImportKey, 'accountId' | 'bankAccountId'>,
  identifiers: readonly string[],
): Promise<readonly string[]> {
  return pool.anyFirst(sql.type(Identifier)`
    SELECT upload_identifier AS identifier FROM transactions
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND upload_identifier = ANY(${sql.array(identifiers, 'text')})`)
}

function isImport(key: ImportKey): FragmentSqlToken {
  return sql.fragment`imports.account_id = ${key.accountId}
    AND imports.bank_account_id = ${key.bankAccountId}
    AND imports.transaction_import_id = ${key.transactionImportId}`
}

function at(instant: Date): string {
  return instant.toISOString()
}
