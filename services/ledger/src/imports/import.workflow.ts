import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { ActivityFailure, sleep } from '@temporalio/workflow'
import type { fileImportActivities } from './file-import.activities.ts'
import type { ImportKey } from './formats/csv/csv-import.ts'
import type { importPreviewActivities } from './import-preview.activities.ts'
import type { UploadKey } from './upload.ts'

type Activities = ReturnType<typeof fileImportActivities> &
  ReturnType<typeof importPreviewActivities>

const steps = activitiesOf<Activities>('ledger', {
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
})
// Long timeout: 100,000 rows take 100 s on a busy machine. Heartbeats detect a killed process.
const { importFile, previewImport } = activitiesOf<Activities>('ledger', {
  startToCloseTimeout: '15 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 8, maximumInterval: '30 seconds' },
})

/** Imports one uploaded file; the workflow ID is `file-import/<transactionUploadId>`. */
export async function importUpload(key: UploadKey): Promise<void> {
  await steps.startImport(key)
  await untilRead(
    () => importFile(key),
    () => steps.failImport(key),
  )
  await steps.removeFile(key)
}

/** Creates the preview of a CSV file; the workflow ID is `import-preview/<transactionImportId>`. */
export async function previewCsvImport(key: ImportKey): Promise<void> {
  await untilRead(
    () => previewImport(key),
    () => steps.failPreview(key),
  )
}

// Pause between attempts while another file of the account is read or imported.
const pauseMs = 1_000

async function untilRead(
  readFile: () => Promise<'busy' | 'done'>,
  fail: () => Promise<void>,
): Promise<void> {
  try {
    while ((await readFile()) === 'busy') await sleep(pauseMs)
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    await fail()
  }
}
