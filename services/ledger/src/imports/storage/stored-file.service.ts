import type { Database } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import type { FileKind } from '../formats/file-kind.ts'
import type { Unreadable } from '../formats/statement.ts'
import type { ReadingFormat, ReadingTask } from '../formats/statement-file.ts'
import { type FoundReading, findReading } from '../import.sql.ts'
import type { FileTotals, IncomingFile } from '../incoming-file.ts'
import { nameOf, type Storage } from './storage.ts'
import type { FileKey, StoredFile } from './stored-file.ts'

/**
 * Stores the bytes of a file, then calls `save` to insert its rows, so that no row lacks its bytes.
 * If `save` throws, removes the bytes, unless `isSaved` returns true: the commit may have succeeded
 * although its answer was lost.
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
 * Returns the bytes of a file and the settings to read it; `Unreadable` if either is missing.
 * Throws `unavailable` while the bank account's dates are being converted to another timezone.
 */
export async function loadFile(
  { database, storage }: { database: Database; storage: Storage },
  file: Pick<StoredFile, 'accountId' | 'bankAccountId' | 'fileId'>,
  kind: FileKind,
): Promise<ReadingTask | Unreadable> {
  const found = await findReading(database, file)
  const bytes = await storage.read(file)
  const format = found && formatOf(found, kind)
  if (!found || !format || !bytes) return { unreadable: say('FILE_LEFT') }
  const { currency, timezone, identifierTimezone, bankAccountId, name, choices } = found
  if (timezone === '') throw unavailable(say('TIMEZONE_BUSY'))
  const bankAccount = { bankAccountId, name }
  const stated = choices ?? {}
  return {
    bytes,
    settings: { currency, timezone, identifierTimezone, bankAccount, stated },
    format,
  }
}

/** Returns the format of a file; null for a CSV file without a mapping. */
function formatOf(found: FoundReading, kind: FileKind): ReadingFormat | null {
  if (kind !== 'csv') return { kind }
  const { delimiter, headers, headerRow, mapping, choices } = found
  const numberColumns = found.numberColumns ?? []
  if (delimiter === null || headers === null || mapping === null) return null
  const { dateFormat } = choices ?? {}
  return { kind, delimiter, headers, headerRow, mapping, dateFormat, numberColumns }
}
