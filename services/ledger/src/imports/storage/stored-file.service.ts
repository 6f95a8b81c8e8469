import type { Database } from '@coffer/kit/database/database'
import { say } from '@coffer/kit/reasons/reasons'
import { unavailable } from '@coffer/kit/rpc/errors'
import { isOutage } from '@coffer/kit/rpc/fault'
import type { Log } from '@coffer/kit/service/log'
import type { FileKind } from '../formats/file-kind.ts'
import type { Unreadable } from '../formats/statement.ts'
import type { ReadingFormat, ReadingTask } from '../formats/statement-file.ts'
import { type FoundReading, findReading } from '../import.sql.ts'
import { nameOf, type Storage } from './storage.ts'
import type { FileKey, StoredFile } from './stored-file.ts'

/**
 * Runs `store`, which writes the bytes of new files and then inserts their rows, so that no row
 * lacks its bytes. If it throws, removes the bytes, unless a dependency is down: the commit may
 * have succeeded although its answer was lost.
 */
export async function keepFiles<Result>(
  deps: { storage: Storage; log: Log },
  keys: readonly FileKey[],
  store: () => Promise<Result>,
): Promise<Result> {
  try {
    return await store()
  } catch (error) {
    if (!isOutage(error)) await removeFiles(deps, keys)
    throw error
  }
}

/**
 * Removes the bytes of files without a row. A failure is only logged, so that it changes no answer:
 * a sweep removes such bytes a day later.
 */
export async function removeFiles(
  { storage, log }: { storage: Storage; log: Log },
  keys: readonly FileKey[],
): Promise<void> {
  try {
    await Promise.all(keys.map((key) => storage.remove(nameOf(key))))
  } catch (err) {
    log.warn({ err }, 'bytes without a row are not removed yet: a sweep removes them in a day')
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
