import { say } from '@coffer/kit/reasons/reasons'
import { invalid, refused } from '@coffer/kit/rpc/errors'
import { values } from '@coffer/proto/values'
import { z } from 'zod'
import { createFile, type NewFile, type StoredFile } from '../../storage/stored-file.ts'
import { ReadingChoices } from '../reading-choices.ts'
import type { Steps } from '../steps.ts'
import { CsvReading, readShape } from './csv-reading.ts'
import type { CsvShape } from './csv-shape.ts'

/**
 * The import of a CSV file (docs/files.md#csv-mappings). `error` is set exactly in status `failed`.
 * `preview` is an encoded protobuf message ImportPreview.
 */
export const CsvImport = z.object({
  accountId: z.string(),
  bankAccountId: z.string(),
  transactionImportId: z.string(),
  fileId: z.string(),
  transactionImportMappingId: z.string().nullable(),
  transactionUploadId: z.string().nullable(),
  headers: z.array(z.string()),
  /** The delimiter, one character. This misspelling is part of the REST API. */
  delimeter: z.string(),
  /**
   * Line of the file that has the header; 0 if the file has none.
   * until 0.5: null for imports that a release before 0.4.0 stored.
   */
  headerRow: z.number().nullable(),
  choices: ReadingChoices.nullable(),
  reading: CsvReading.nullable(),
  status: z.enum(values['Import.status']),
  error: z.string().nullable(),
  preview: z.instanceof(Buffer).nullable(),
  createdAt: z.date(),
  updatedAt: z.date(),
  createdBy: z.string(),
  completedAt: z.date().nullable(),
})
export type CsvImport = z.infer<typeof CsvImport>

export const ImportKey = CsvImport.pick({
  accountId: true,
  bankAccountId: true,
  transactionImportId: true,
})
export type ImportKey = z.infer<typeof ImportKey>

export type NewImport = Omit<NewFile, 'kind' | 'contentType'> & {
  transactionImportId: string
  choices: ReadingChoices
  found: { shape: CsvShape; reading: CsvReading }
}

/** Detects columns and format of a CSV file; throws `invalid` if that fails. */
export function* requireShape(
  head: Uint8Array,
  { choices, currency }: { choices: ReadingChoices; currency: string },
): Steps<NewImport['found']> {
  if (head.length === 0) throw invalid({ data: say('EMPTY') })
  const found = yield* readShape(head, choices, currency)
  if ('unreadable' in found) throw invalid({ data: found.unreadable })
  return found
}

/** Returns the entities of an uploaded CSV file: the file, and its import in status `mapping`. */
export function createImport(body: NewImport, now: Date): { file: StoredFile; made: CsvImport } {
  const kind = 'transactions/imports'
  return {
    file: createFile({ ...body, kind, contentType: 'text/csv' }, now),
    made: {
      accountId: body.accountId,
      bankAccountId: body.bankAccountId,
      transactionImportId: body.transactionImportId,
      fileId: body.fileId,
      transactionImportMappingId: null,
      transactionUploadId: null,
      ...shapeFields(body.found, body.choices),
      status: 'mapping',
      error: null,
      preview: null,
      createdAt: now,
      updatedAt: now,
      createdBy: body.createdBy,
      completedAt: null,
    },
  }
}

/** Returns the fields of an import that depend on the detected format and the client's choices. */
export function shapeFields({ shape, reading }: NewImport['found'], choices: ReadingChoices) {
  const { headers, delimiter: delimeter, headerRow } = shape
  return { headers, delimeter, headerRow, choices, reading }
}

/** Returns whether the client stated choices for the file, or had it read again. */
export function isReread({ choices, createdAt, updatedAt }: CsvImport): boolean {
  return updatedAt > createdAt || Object.keys(choices ?? {}).length > 0
}

/** Throws `refused` if the file of an import can no longer be read again or deleted. */
export function requireRereadable(
  { status, transactionUploadId }: CsvImport,
  refusal?: { status: 409 },
): void {
  const isReadable = ['mapping', 'preview', 'failed'].includes(status)
  if (!isReadable || transactionUploadId !== null) {
    throw refused(say('IMPORT_CLOSED', { status }), refusal)
  }
}

/** Throws `refused` unless the import is in the required status (docs/files.md#csv-mappings). */
export function requireStatus({ status }: CsvImport, wanted: 'mapping' | 'preview'): void {
  if (status !== wanted) {
    throw refused(say('IMPORT_STATUS', { status, wanted }))
  }
}

/** Throws `invalid` if the file lacks a column of a mapping. */
export function requireColumns({ headers }: CsvImport, of: readonly string[]): void {
  const columns = new Set(headers)
  if (!of.every((name) => columns.has(name))) {
    throw invalid({
      transactionImportMappingId: say('MAPPING_COLUMNS'),
    })
  }
}
