import { type Handler, on } from '@coffer/kit/consumer'
import type { ServiceDeps } from '@coffer/kit/service'
import type { Workflows } from '@coffer/kit/temporal'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import { LinkDeletedSchema, UploadCreatedSchema } from '@coffer/proto/ledger/v1/events'
import { saveSettings } from './account-settings.sql.ts'
import type { LinkKey } from './link.ts'
import type { UploadKey } from './upload.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'>

/** What the ledger does about changes, its own and identity's. */
export function eventHandlers({ database, workflows }: Deps): Handler[] {
  return [
    on(UploadCreatedSchema, (upload) => startImport(workflows, upload)),
    on(LinkDeletedSchema, (link) => startCleanUp(workflows, link)),
    on(AccountSettingsChangedSchema, (settings) => saveSettings(database, settings)),
  ]
}

/** Starts the import of an uploaded file, or joins it. */
export function startImport(
  workflows: Workflows,
  { accountId, bankAccountId, transactionUploadId }: UploadKey,
): Promise<void> {
  return workflows.start({
    type: 'importUpload',
    id: `file-import/${transactionUploadId}`,
    taskQueue: 'ledger',
    args: [{ accountId, bankAccountId, transactionUploadId }],
  })
}

/** Starts cleaning up after a deleted link, or joins it. */
export function startCleanUp(workflows: Workflows, { accountId, linkId }: LinkKey): Promise<void> {
  return workflows.start({
    type: 'cleanUpLink',
    id: `link-clean-up/${linkId}`,
    taskQueue: 'ledger',
    args: [{ accountId, linkId }],
  })
}
