import type { ServiceDeps } from '@coffer/kit/service/service'
import { syncSweeps } from '@coffer/sync-kit/sync-sweep.activities'
import type { settings } from '../config.ts'
import { startFeedSync } from './feed-sync.consumer.ts'
import { sweptLinks } from './sync-sweep.sql.ts'

type Deps = Pick<ServiceDeps<typeof settings>, 'config' | 'database' | 'workflows' | 'clock'>

/** Returns the Temporal activities that start syncs of connections by schedule. */
export function syncSweepActivities(deps: Deps) {
  return syncSweeps(deps, {
    links: sweptLinks,
    isEnabled: deps.config.feedEnabled,
    start: (key) => startFeedSync(deps.workflows, key),
  })
}
