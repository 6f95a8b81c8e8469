import type { Database, Queries, Transaction as Tx } from '@coffer/kit/database/database'
import { assignmentsOf, columnsOf, entityOf, insertOf } from '@coffer/kit/database/rows'
import { type Change, emit, emitIfWritten, insertChanges } from '@coffer/kit/events/changes'
import { objectsChanged } from '@coffer/kit/events/objects-changed'
import { ObjectsChangedSchema } from '@coffer/proto/ledger/v1/events'
import { type FragmentSqlToken, sql } from 'slonik'
import { z } from 'zod'
import { type AccountSettings, insertSettings } from '../accounts/account-settings.sql.ts'
import { CsvImport, type ImportKey } from './formats/csv/csv-import.ts'
import { CsvMapping } from './formats/csv/csv-mapping.ts'
import type { CsvReading } from './formats/csv/csv-reading.ts'
import { ReadingChoices } from './formats/reading-choices.ts'
import { joinedRows } from './joining/joined-rows.sql.ts'
import { StoredFile } from './storage/stored-file.ts'
import { type NewestPage, tellUpload } from './upload.sql.ts'
import { Upload } from './upload.ts'

const stored = CsvImport.omit({ status: true, error: true, completedAt: true })
const columns = columnsOf(stored, { table: 'imports' })
// NOT IN instead of `= 'pending-preview'`: the planner then cannot choose the partial index
// `transaction_imports_to_preview`, and uses the primary key, which is faster for one import.
const awaitsPreview = sql.fragment`
  status NOT IN ('mapping', 'preview', 'pending-processing', 'failed')`
const currentStatus = sql.fragment`
      CASE
        WHEN uploads.status = 'pending' THEN 'pending-processing'
        WHEN uploads.status IS NOT NULL THEN uploads.status
        WHEN imports.status <> 'failed' AND files.deleted_at IS NOT NULL THEN 'expired'
        ELSE imports.status
      END AS status,
      coalesce(uploads.error, imports.error) AS error,
      coalesce(uploads.completed_at, imports.completed_at) AS "completedAt"`
const itsFileAndUpload = sql.fragment`
      JOIN files ON files.account_id = imports.account_id AND files.file_id = imports.file_id
      LEFT JOIN uploads ON uploads.account_id = imports.account_id
        AND uploads.bank_account_id = imports.bank_account_id
        AND uploads.transaction_upload_id = imports.transaction_upload_id`
const Listed = CsvImport.omit({ preview: true }).extend({
  file: z.record(z.string(), z.unknown()),
  upload: z.record(z.string(), z.unknown()).nullable(),
})
/** An import with the upload that processes it, null before processing. */
export type FoundImport = CsvImport & { processedBy: Upload | null }
const Single = CsvImport.extend({ upload: Listed.shape.upload })
const shapeColumns = ['headers', 'delimeter', 'headerRow', 'choices', 'reading'] as const
const Reading = z.object({
  bankAccountId: z.string(),
  name: z.string(),
  currency: z.string(),
  timezone: z.string(),
  identifierTimezone: z.string(),
  delimiter: z.string().nullable(),
  headers: z.array(z.string()).nullable(),
  headerRow: z.number().nullable(),
  mapping: CsvMapping.nullable(),
  choices: ReadingChoices.nullable(),
  numberColumns: z.array(z.number()).nullable(),
})
export type FoundReading = z.infer<typeof Reading>
const Identifier = z.object({ identifier: z.string() })

type ImportType = 'import.created' | 'import.updated'

function tellImport(key: ImportKey, type: ImportType, now: Date): Change[] {
  const { accountId, bankAccountId, transactionImportId: objectId } = key
  const objects = [{ type, objectId, bankAccountId }]
  return objectsChanged(ObjectsChangedSchema, { accountId, now }, objects)
}

/** Inserts a file, its import, and the account settings that reading the file needs. */
export async function insertImport(
  tx: Tx,
  { file, made, settings }: { file: StoredFile; made: CsvImport; settings: AccountSettings },
): Promise<void> {
  await tx.query(sql.unsafe`
    WITH known AS (${insertSettings(settings)}),
      stored AS (${insertOf('files', StoredFile, file)}),
      emitted AS (${insertChanges(tellImport(made, 'import.created', made.createdAt))})
    ${insertOf('transaction_imports', CsvImport, made)}`)
}

/**
 * Returns the import with its current status. Returns null if it is unknown, or the link that owns
 * its bank account is deleted.
 */
export async function findImport(
  { pool }: { pool: Queries },
  key: ImportKey,
): Promise<FoundImport | null> {
  const row = await pool.maybeOne(sql.type(Single)`
    SELECT ${columns}, ${currentStatus}, to_jsonb(uploads) AS upload
    FROM transaction_imports imports
      JOIN bank_accounts USING (account_id, bank_account_id) ${itsFileAndUpload}
    WHERE ${isImport(key)} AND removed_at IS NULL`)
  if (row === null) return null
  const { upload, ...found } = row
  return { ...found, processedBy: upload && entityOf(Upload, upload) }
}

/** Lists the imports of a bank account, newest first, without previews. */
export async function listImports(
  { pool }: Database,
  accountId: string,
  { bankAccountId, before, limit }: NewestPage,
): Promise<{ found: CsvImport; file: StoredFile; upload: Upload | null }[]> {
  const rows = await pool.any(sql.type(Listed)`
    SELECT ${columnsOf(stored.omit({ preview: true }), { table: 'imports' })}, ${currentStatus},
      to_jsonb(files) AS file, to_jsonb(uploads) AS upload
    FROM transaction_imports imports ${itsFileAndUpload}
    WHERE imports.account_id = ${accountId} AND imports.bank_account_id = ${bankAccountId}
      ${before === null ? sql.fragment`` : sql.fragment`AND transaction_import_id < ${before}`}
    ORDER BY transaction_import_id DESC LIMIT ${limit}`)
  return rows.map(({ file, upload, ...found }) => ({
    found: { ...found, preview: null },
    file: entityOf(StoredFile, file),
    upload: upload && entityOf(Upload, upload),
  }))
}

/** Compare-and-set on status `mapping`: stores mapping ID and `changes`, else returns false. */
export async function requestPreview(
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
  await emit(tx, ...asked.changes, ...tellImport(key, 'import.updated', asked.now))
  return true
}

/**
 * Inserts the upload of an import's file, and links the import to it by compare-and-set. Returns
 * false if the import is not in status `preview`; the caller then rolls back.
 */
export async function requestProcessing(
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
  await emit(tx, ...changes)
  await tellUpload(tx, upload, { type: 'upload.created', now })
  return true
}

/**
 * Compare-and-set on an import that is not processed: stores another reading of its file, and
 * resets the import to status `mapping`. Returns false if its status no longer permits that.
 */
export async function reread(
  { autocommit }: Database,
  key: ImportKey,
  { fields, now }: { fields: Pick<CsvImport, (typeof shapeColumns)[number]>; now: Date },
): Promise<boolean> {
  const update = sql.fragment`
    UPDATE transaction_imports imports SET ${assignmentsOf(fields, shapeColumns)},
      status = 'mapping', error = NULL, preview = NULL, completed_at = NULL,
      transaction_import_mapping_id = NULL, updated_at = ${at(now)}
    WHERE ${isImport(key)} AND status IN ('mapping', 'preview', 'failed')
      AND transaction_upload_id IS NULL`
  const changes = tellImport(key, 'import.updated', now)
  const { rowCount } = await autocommit((pool) => pool.query(emitIfWritten(update, changes)))
  return rowCount > 0
}

/** Returns whether the import still waits for its preview. */
export function isAwaitingPreview({ pool }: Database, key: ImportKey): Promise<boolean> {
  return pool.exists(sql.unsafe`
    SELECT FROM transaction_imports imports WHERE ${isImport(key)} AND ${awaitsPreview}`)
}

type PreviewResult = { preview: Uint8Array; reading: CsvReading | null } | { error: string }

/** Stores the preview (an encoded ImportPreview) or the error, if the import awaits a preview. */
export async function savePreview(
  { autocommit }: Database,
  key: ImportKey,
  { result, now }: { result: PreviewResult; now: Date },
): Promise<void> {
  const outcome =
    'error' in result
      ? sql.fragment`status = 'failed', error = ${result.error}, completed_at = ${at(now)}`
      : sql.fragment`status = 'preview', preview = ${sql.binary(Buffer.from(result.preview))},
          reading = ${sql.jsonb(result.reading)}`
  const update = sql.fragment`
    UPDATE transaction_imports imports SET ${outcome}, updated_at = ${at(now)}
    WHERE ${isImport(key)} AND ${awaitsPreview}`
  const changes = tellImport(key, 'import.updated', now)
  await autocommit((pool) => pool.query(emitIfWritten(update, changes)))
}

/** Returns the settings to read a file (`mapping` only for CSV); null if no bank account exists. */
export function findReading(
  { pool }: Database,
  { accountId, bankAccountId, fileId }: Pick<StoredFile, 'accountId' | 'bankAccountId' | 'fileId'>,
) {
  return pool.maybeOne(sql.type(Reading)`
    SELECT bank_account_id AS "bankAccountId", name, currency,
      coalesce(dates_timezone, account_settings.timezone) AS timezone,
      coalesce(identifier_timezone, account_settings.timezone) AS "identifierTimezone",
      delimeter AS delimiter, headers, header_row AS "headerRow", mapping,
      coalesce(csv.choices, upload.choices) AS choices,
      reading -> 'numberColumns' AS "numberColumns"
    FROM bank_accounts JOIN account_settings USING (account_id) LEFT JOIN LATERAL (
      SELECT delimeter, headers, header_row, mapping, choices, reading FROM transaction_imports
        JOIN transaction_import_mappings USING (account_id, transaction_import_mapping_id)
      WHERE account_id = ${accountId} AND file_id = ${fileId} LIMIT 1
    ) AS csv ON true LEFT JOIN LATERAL (
      SELECT choices FROM uploads
      WHERE account_id = ${accountId} AND file_id = ${fileId} LIMIT 1
    ) AS upload ON true
    WHERE account_id = ${accountId} AND bank_account_id = ${bankAccountId}
      AND removed_at IS NULL`)
}

/**
 * Returns those given identifiers that stored rows have, including soft-deleted and joined rows.
 * OFFSET 0 forces an index search per identifier, as in `listStoredRows`.
 */
export async function listKnownIdentifiers(
  { pool }: { pool: Queries },
  { accountId, bankAccountId }: Pick<ImportKey, 'accountId' | 'bankAccountId'>,
  identifiers: readonly string[],
): Promise<readonly string[]> {
  const isWanted = sql.fragment`account_id = ${accountId} AND bank_account_id = ${bankAccountId}
        AND upload_identifier = wanted.identifier OFFSET 0`
  return pool.anyFirst(sql.type(Identifier)`
    SELECT identifier FROM unnest(${sql.array(identifiers, 'text')}) AS wanted (identifier)
    WHERE EXISTS (SELECT FROM transactions WHERE ${isWanted})
      OR EXISTS (SELECT FROM ${joinedRows} AS joined WHERE ${isWanted})`)
}

function isImport(key: ImportKey): FragmentSqlToken {
  return sql.fragment`imports.account_id = ${key.accountId}
    AND imports.bank_account_id = ${key.bankAccountId}
    AND imports.transaction_import_id = ${key.transactionImportId}`
}

function at(instant: Date): string {
  return instant.toISOString()
}
