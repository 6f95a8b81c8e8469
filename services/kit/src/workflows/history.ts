import { patched, workflowInfo } from '@temporalio/workflow'

/**
 * Returns whether the workflow has to continue in a new run (`continueAsNew`). Temporal suggests
 * this from 4,096 events or 4 MB on, and ends a run at 51,200 events or 50 MB. Deterministic: a
 * replay returns the recorded suggestion; it may differ only after the end of the recorded history.
 * until 0.4: `patched`, afterwards `deprecatePatch`: a history that 0.2.0 has recorded is replayed
 * without continuing as new (docs/events.md#workflows).
 */
export function isHistoryLong(): boolean {
  return workflowInfo().continueAsNewSuggested && patched('bounded-history')
}
