import { subjectOf } from '@coffer/kit/events/changes'
import { type Handler, on } from '@coffer/kit/events/handler'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Workflows } from '@coffer/kit/workflows/workflows'
import { AccountSettingsChangedSchema } from '@coffer/proto/identity/v1/events'
import {
  ImportPreviewRequestedSchema,
  LinkDeletedSchema,
  RuleRunRequestedSchema,
  UploadCreatedSchema,
} from '@coffer/proto/ledger/v1/events'
import { saveSettings } from '../accounts/account-settings.sql.ts'
import type { LinkKey } from '../book/link.ts'
import type { UploadKey } from '../book/upload-key.ts'
import type { ImportKey } from '../imports/formats/csv/csv-import.ts'
import { isAwaitingPreview } from '../imports/import.sql.ts'
import { isUnfinishedUpload } from '../imports/upload.sql.ts'
import { findRun } from '../rules/rule-run.sql.ts'
import type { RuleRunKey } from '../rules/rule-run.ts'
import { isUncleaned } from './link-clean-up.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'workflows'>

// until 0.4: releases before 0.2.0 published `TransactionsChanged`. Without a handler, NATS would
// redeliver these events.
const retired: Handler = {
  subject: subjectOf('coffer.ledger.v1.TransactionsChanged'),
  handle: async () => {},
}

/**
 * Returns the handlers of events from the ledger and identity (docs/events.md#events). Workflows
 * start only for unfinished work, so that a repeated event costs one query.
 */
export function eventHandlers({ database, workflows }: Deps): Handler[] {
  return [
    on(UploadCreatedSchema, async (upload) => {
      if (await isUnfinishedUpload(database, upload)) await startImport(workflows, upload)
    }),
    on(ImportPreviewRequestedSchema, async (asked) => {
      if (await isAwaitingPreview(database, asked)) await startPreview(workflows, asked)
    }),
    on(RuleRunRequestedSchema, async ({ accountId, ruleRunId, isUndo }) => {
      const run = await findRun(database, { accountId, ruleRunId })
      if (run?.status === (isUndo ? 'undoing' : 'running')) await startRuleRun(workflows, run)
    }),
    on(LinkDeletedSchema, async (link) => {
      if (await isUncleaned(database, link)) await startCleanUp(workflows, link)
    }),
    on(AccountSettingsChangedSchema, (settings) => saveSettings(database, settings)),
    retired,
  ]
}

type Attempt = { attempt?: bigint }

/**
 * Each attempt to read a file has its own workflow ID: the former workflow may still be running.
 */
function suffixOf(attempt = 0n): string {
  return attempt === 0n ? '' : `/${attempt}`
}

/** Starts the import of an uploaded file; does nothing if its workflow is running. */
export function startImport(
  workflows: Workflows,
  { accountId, bankAccountId, transactionUploadId, attempt }: UploadKey & Attempt,
): Promise<void> {
  const key: UploadKey = { accountId, bankAccountId, transactionUploadId }
  const id = `file-import/${transactionUploadId}${suffixOf(attempt)}`
  return start(workflows, 'importUpload', { id, key })
}

/** Starts the preview of a CSV file; does nothing if its workflow is running. */
export function startPreview(
  workflows: Workflows,
  { accountId, bankAccountId, transactionImportId, attempt }: ImportKey & Attempt,
): Promise<void> {
  const key: ImportKey = { accountId, bankAccountId, transactionImportId }
  const id = `import-preview/${transactionImportId}${suffixOf(attempt)}`
  return start(workflows, 'previewCsvImport', { id, key })
}

/** Starts the clean-up after a deleted link; does nothing if its workflow is running. */
export function startCleanUp(workflows: Workflows, { accountId, linkId }: LinkKey): Promise<void> {
  const key: LinkKey = { accountId, linkId }
  return start(workflows, 'cleanUpLink', { id: `link-clean-up/${linkId}`, key })
}

/** Starts a run of rules or its undo; does nothing if that workflow is running. */
export function startRuleRun(
  workflows: Workflows,
  { accountId, ruleRunId, status }: RuleRunKey & { status: string },
): Promise<void> {
  const key: RuleRunKey = { accountId, ruleRunId }
  // The undo has its own workflow ID: the workflow of the run may still be ending.
  const id = `rule-run/${ruleRunId}${status === 'undoing' ? '/undo' : ''}`
  return start(workflows, 'runRules', { id, key })
}

function start(
  workflows: Workflows,
  type: string,
  { id, key }: { id: string; key: object },
): Promise<void> {
  return workflows.start({ type, id, args: [key] })
}
