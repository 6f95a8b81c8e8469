import type { ServiceDeps } from '@coffer/kit/service/service'
import { syncSweeps } from '@coffer/sync-kit/sync-sweep.activities'
import type { settings } from '../config.ts'
import { startAggregatorSync } from './aggregator-sync.consumer.ts'
import { sweptLinks } from './sync-sweep.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'workflows' | 'clock'>

/** Returns the Temporal activities that start syncs of aggregator links by schedule. */
export function syncSweepActivities(deps: Deps) {
  return syncSweeps(deps, {
    links: sweptLinks,
    isEnabled: deps.config.aggregatorEnabled,
    start: (key) => startAggregatorSync(deps.workflows, key),
  })
}
