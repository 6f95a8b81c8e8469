import { toBinary } from '@bufbuild/protobuf'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ImportPreviewSchema } from '@coffer/proto/ledger/v1/import'
import { findBankAccount } from '../accounts/bank-account.sql.ts'
import { findTimezone } from '../tenancy/account-settings.sql.ts'
import { type CsvImport, type ImportKey, previewOf } from './formats/csv/csv-import.ts'
import type { FileStatement, Unreadable } from './formats/statement.ts'
import type { ReadingTask } from './formats/statement-file.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { findImport, findImportFormat, listKnownIdentifiers, savePreview } from './import.sql.ts'
import type { Storage } from './storage/storage.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { storage: Storage; readers: Readers }

/** Returns the activities of a CSV preview (docs/files.md#csv-mappings). Each is idempotent. */
export function importPreviewActivities(deps: Deps) {
  const { database, clock } = deps
  return {
    /** Returns busy without any effect while this process reads another file of the account. */
    previewImport: async (key: ImportKey): Promise<'busy' | 'done'> => {
      const found = await findImport(database, key)
      if (found?.status !== 'pending-preview') return 'done'
      const statement = await deps.readers.read(key.accountId, () => loadFile(deps, found))
      if (statement === 'busy') return 'busy'
      const result =
        'unreadable' in statement
          ? { error: statement.unreadable }
          : { preview: await encodePreview(deps, key, statement) }
      await savePreview(database, key, { result, now: clock() })
      return 'done'
    },
    failPreview: async (key: ImportKey): Promise<void> => {
      const error = 'The file could not be read for now; please upload it again'
      await savePreview(database, key, { result: { error }, now: clock() })
    },
  }
}

async function loadFile(
  { database, storage }: Deps,
  found: CsvImport,
): Promise<ReadingTask | Unreadable> {
  const { accountId, bankAccountId } = found
  const bankAccount = await findBankAccount(database, accountId, bankAccountId)
  const timezone = await findTimezone(database, accountId)
  const format = await findImportFormat(database, found)
  const bytes = await storage.read(found)
  if (!bankAccount || !timezone || !format || !bytes) {
    return { unreadable: 'The file is no longer there' }
  }
  const settings = { currency: bankAccount.currency, timezone }
  return { bytes, settings, format: { kind: 'csv', ...format } }
}

async function encodePreview({ database }: Deps, key: ImportKey, statement: FileStatement) {
  const identifiers = statement.rows.map((row) => row.uploadIdentifier)
  const known = await listKnownIdentifiers(database, key, identifiers)
  return toBinary(ImportPreviewSchema, previewOf(statement, new Set(known)))
}
