import type { Place } from '@coffer/kit/workflows/pages'
import { sweepSyncs } from '@coffer/sync-kit/workflows/sync-workflow'

/** Starts syncs that are due or were lost, page by page; scheduled every ten minutes. */
export async function startDueAggregatorSyncs(place?: Place): Promise<void> {
  await sweepSyncs('aggregator-sync', place)
}
