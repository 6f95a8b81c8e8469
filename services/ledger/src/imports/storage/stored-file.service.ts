import type { Database } from '@coffer/kit/database/database'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { FileKind } from '../formats/file-kind.ts'
import type { Unreadable } from '../formats/statement.ts'
import type { ReadingTask } from '../formats/statement-file.ts'
import { findReading } from '../import.sql.ts'
import type { FileTotals, IncomingFile } from '../incoming-file.ts'
import { nameOf, type Storage } from './storage.ts'
import type { FileKey, StoredFile } from './stored-file.ts'

/**
 * Stores the bytes of a file, then calls `save` to insert its rows, so that each row has its bytes.
 * If `save` throws, removes the bytes, unless `isSaved` returns true: the answer to the commit may
 * have been lost.
 */
export async function keepFile(
  storage: Storage,
  { key, file }: { key: FileKey; file: IncomingFile },
  saving: {
    save: (totals: FileTotals) => Promise<void>
    isSaved: () => Promise<boolean>
  },
): Promise<void> {
  await storage.write(key, file.bytes)
  try {
    await saving.save(await file.finish())
  } catch (error) {
    if (!(await saving.isSaved())) await storage.remove(nameOf(key))
    throw error
  }
}

/**
 * Returns a file's bytes and the settings to read it; `Unreadable` if either is missing. Throws
 * unavailable while the dates of the bank account are being moved to another timezone.
 */
export async function loadFile(
  { database, storage }: { database: Database; storage: Storage },
  file: Pick<StoredFile, 'accountId' | 'bankAccountId' | 'fileId'>,
  kind: FileKind,
): Promise<ReadingTask | Unreadable> {
  const found = await findReading(database, file)
  const bytes = await storage.read(file)
  const { delimiter, mapping } = found ?? {}
  const format = kind !== 'csv' ? { kind } : delimiter && mapping && { kind, delimiter, mapping }
  if (!found || !format || !bytes) return { unreadable: 'The file is no longer there' }
  const { currency, timezone, identifierTimezone, bankAccountId, name } = found
  if (timezone === '') throw unavailable('the timezone of the account is being changed')
  const bankAccount = { bankAccountId, name }
  return { bytes, settings: { currency, timezone, identifierTimezone, bankAccount }, format }
}
