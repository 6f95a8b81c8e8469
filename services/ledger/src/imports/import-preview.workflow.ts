import { ActivityFailure, proxyActivities, sleep } from '@temporalio/workflow'
import type { ImportKey } from './formats/csv/csv-import.ts'
import type { importPreviewActivities } from './import-preview.activities.ts'

type Activities = ReturnType<typeof importPreviewActivities>

const steps = proxyActivities<Activities>({
  startToCloseTimeout: '1 minute',
  heartbeatTimeout: '10 seconds',
})
const { previewImport } = proxyActivities<Activities>({
  startToCloseTimeout: '2 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 8, maximumInterval: '30 seconds' },
})

// Pause between attempts while another file of the account is read, which takes a bounded time.
const pauseMs = 1_000

/**
 * Creates the preview of one CSV file; the workflow ID is `import-preview/<transactionImportId>`.
 */
export async function previewCsvImport(key: ImportKey): Promise<void> {
  try {
    while ((await previewImport(key)) === 'busy') await sleep(pauseMs)
  } catch (error) {
    if (!(error instanceof ActivityFailure)) throw error
    await steps.failPreview(key)
  }
}
