import { ActivityFailure, proxyActivities, sleep } from '@temporalio/workflow'
import type { fileImportActivities } from './file-import.activities.ts'
import type { UploadKey } from './upload.ts'

type Activities = ReturnType<typeof fileImportActivities>

const steps = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
})
const { importFile } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 8, maximumInterval: '30 seconds' },
})

// Pause between attempts while another file of the account is read, which takes a bounded time.
const pauseMs = 1_000

/** Imports one uploaded file; the workflow ID is `file-import/<transactionUploadId>`. */
export async function importUpload(key: UploadKey): Promise<void> {
  await steps.startImport(key)
  try {
    while ((await importFile(key)) === 'busy') await sleep(pauseMs)
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    await steps.failImport(key)
  }
  await steps.removeFile(key)
}
