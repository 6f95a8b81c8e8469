import type { ServiceDeps } from '@coffer/kit/service/service'
import { forEachSequentially } from '../advance/sequential.ts'
import { asSystem } from '../ledger/ledger.client.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { finishRemoval } from './schedule-removal.client.ts'
import { listStaleRemovals } from './schedule-removal.sql.ts'

/** Longer than the deadline of any request, so that no request still works on the schedule. */
const staleAfterMs = 60_000
const batchSizeMax = 200

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock' | 'log'> &
  Pick<PlanWriter, 'write'>

/** Sweep of unfinished deletions of schedules (docs/funding-schedules.md#removal). */
export function scheduleRemovalActivities(deps: Deps) {
  return {
    /**
     * Returns the number of schedules found. Throws AggregateError after the whole batch if any of
     * it failed.
     */
    endStaleRemovals: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - staleAfterMs)
      const removals = await listStaleRemovals(deps.database, { before, limit: batchSizeMax })
      await forEachSequentially(
        removals,
        (schedule) => finishRemoval(deps, schedule, asSystem(deps, schedule.accountId)),
        (schedule, err) =>
          deps.log.error({ err, ...schedule }, 'deletion of a schedule not finished'),
      )
      return removals.length
    },
  }
}
