import type { ServiceDeps } from '@coffer/kit/service/service'
import { hourMs } from '@coffer/kit/values/time'
import type { settings } from '../config.ts'
import { startAggregatorSync } from './aggregator-sync.consumer.ts'
import { listDueSyncs, listUnfinishedSyncs } from './sync-sweep.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'workflows' | 'clock'>

const pageSize = 200
// Minimum age of a request to start: normally its event starts the sync earlier.
const graceMs = 30_000
// Minimum age of a sync to start again: hardly any takes as long, and those are not disturbed.
const lostMs = hourMs

/**
 * Returns the Temporal activities that start syncs by schedule (docs/events.md#sweeps). Each
 * handles the page after the key `after` (empty: the first page) and returns its last key, null
 * after the last page. They leave out accounts that have lapsed or are being deleted, and do
 * nothing while the aggregator is disabled.
 */
export function syncSweepActivities({ config, database, workflows, clock }: Deps) {
  return {
    /** Starts the syncs that are due. */
    startDueSyncs: async (after: string[]): Promise<string[] | null> => {
      if (!config.aggregatorEnabled) return null
      const due = await listDueSyncs(database, { now: clock(), after, limit: pageSize })
      for (const one of due) await startAggregatorSync(workflows, one)
      const last = due.at(pageSize - 1)
      return last ? [last.dueAt, last.accountId, last.linkId] : null
    },
    /** Starts requested syncs whose event was lost, and syncs that Temporal lost. */
    restartSyncs: async (after: string[]): Promise<string[] | null> => {
      if (!config.aggregatorEnabled) return null
      const now = clock()
      const unfinished = await listUnfinishedSyncs(database, {
        now,
        after,
        limit: pageSize,
        requestedBefore: new Date(now.getTime() - graceMs),
        startedBefore: new Date(now.getTime() - lostMs),
      })
      for (const one of unfinished) await startAggregatorSync(workflows, one)
      const last = unfinished.at(pageSize - 1)
      return last ? [last.accountId, last.linkId] : null
    },
  }
}
