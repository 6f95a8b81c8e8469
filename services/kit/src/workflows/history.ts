import { patched, workflowInfo } from '@temporalio/workflow'

/**
 * Returns whether the workflow has to continue in a new run (`continueAsNew`). Temporal suggests it
 * from 4,096 events or 4 MB on, and ends a run at 51,200 events or 50 MB. A replay decides as the
 * recorded run did. Its answer differs only where the run is not recorded.
 * until 0.4: `patched`, then `deprecatePatch`: a run that 0.2.0 has taken further is replayed as it
 * was (docs/events.md#workflows).
 */
export function isHistoryLong(): boolean {
  return workflowInfo().continueAsNewSuggested && patched('bounded-history')
}
