import { create, toBinary } from '@bufbuild/protobuf'
import { say } from '@coffer/kit/reasons/reasons'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { ImportPreviewSchema } from '@coffer/proto/ledger/v1/import'
import { findTimezone } from '../accounts/account-settings.sql.ts'
import { previewParts } from './file-preview.ts'
import type { CsvImport, ImportKey } from './formats/csv/csv-import.ts'
import { withPreviewed } from './formats/csv/csv-reading.ts'
import { noteOfFile, type ReceivedStatement } from './formats/statement.ts'
import type { Readers } from './formats/statement-pool.client.ts'
import { findImport, savePreview } from './import.sql.ts'
import { previewRules } from './rules/previewed-rules.service.ts'
import type { Storage } from './storage/storage.ts'
import { loadFile } from './storage/stored-file.service.ts'
import { compare } from './upload-preview.service.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { storage: Storage; readers: Readers }

/** Returns the idempotent Temporal activities of a CSV preview (docs/files.md#csv-mappings). */
export function importPreviewActivities(deps: Deps) {
  const { database, clock } = deps
  return {
    /**
     * Stores the preview or the error, and returns `done`. Returns `busy`, without effect, while
     * this process reads another file of the account.
     */
    previewImport: async (key: ImportKey): Promise<'busy' | 'done'> => {
      const found = await findImport(database, key)
      if (found?.status !== 'pending-preview') return 'done'
      const load = () => loadFile(deps, found, 'csv')
      const statement = await deps.readers.read(key.accountId, load)
      if (statement === 'busy') return 'busy'
      const result =
        'unreadable' in statement
          ? { error: statement.unreadable }
          : {
              preview: await encodePreview(deps, found, statement),
              reading: found.reading && withPreviewed(found.reading, statement),
            }
      await savePreview(database, key, { result, now: clock() })
      return 'done'
    },
    failPreview: async (key: ImportKey): Promise<void> => {
      const error = say('PREVIEW_LATER')
      await savePreview(database, key, { result: { error }, now: clock() })
    },
  }
}

async function encodePreview({ database }: Deps, found: CsvImport, statement: ReceivedStatement) {
  const { accountId, bankAccountId, transactionImportMappingId } = found
  const key = { accountId, bankAccountId }
  const by = { format: 'csv', transactionImportMappingId }
  const compared = await compare(database, key, { read: statement, ...by })
  const timezone = (await findTimezone(database, key)) || 'UTC'
  const ruled = await previewRules(database, { ...key, timezone }, compared)
  const note = noteOfFile(statement)
  const parts = { ...previewParts(compared, ruled), ...(note === null ? {} : { note }) }
  return toBinary(ImportPreviewSchema, create(ImportPreviewSchema, parts))
}
