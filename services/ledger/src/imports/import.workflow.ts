import { isHistoryLong } from '@coffer/kit/workflows/history'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { ActivityFailure, continueAsNew, sleep } from '@temporalio/workflow'
import type { UploadKey } from '../book/upload-key.ts'
import type { fileImportActivities } from './file-import.activities.ts'
import type { ImportKey } from './formats/csv/csv-import.ts'
import type { importPreviewActivities } from './import-preview.activities.ts'

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
  await untilRead({
    readFile: () => importFile(key),
    fail: () => steps.failImport(key),
    again: () => continueAsNew<typeof importUpload>(key),
  })
  await steps.removeFile(key)
}

/** Creates the preview of a CSV file; the workflow ID is `import-preview/<transactionImportId>`. */
export async function previewCsvImport(key: ImportKey): Promise<void> {
  await untilRead({
    readFile: () => previewImport(key),
    fail: () => steps.failPreview(key),
    again: () => continueAsNew<typeof previewCsvImport>(key),
  })
}

// Pause between attempts while another file of the account is read or imported.
const pauseMs = 1_000

interface Reading {
  readFile: () => Promise<'busy' | 'done'>
  fail: () => Promise<void>
  /** Continue-as-new: bounds the length of the workflow's history. */
  again: () => Promise<never>
}

async function untilRead({ readFile, fail, again }: Reading): Promise<void> {
  try {
    while ((await readFile()) === 'busy') {
      if (isHistoryLong()) await again()
      await sleep(pauseMs)
    }
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    await fail()
  }
}
