import type { ServiceDeps } from '@coffer/kit/service/service'
import { forEachInTurn } from '../advance/each.ts'
import { asSystem } from '../ledger/ledger.client.ts'
import type { PlanWriter } from '../plans/writer.service.ts'
import { finishRemoval } from './schedule-removal.client.ts'
import { staleRemovals } from './schedule-removal.sql.ts'

/** A request that removes a schedule has given up long before. */
const staleAfterMs = 60_000
const batchSizeMax = 200

type Deps = Pick<ServiceDeps, 'database' | 'mesh' | 'signer' | 'clock' | 'log'> &
  Pick<PlanWriter, 'write'>

/** Finishes removals of schedules that were left half-way (design 4). */
export function scheduleRemovalActivities(deps: Deps) {
  return {
    /** Returns how many were found. Throws once all were tried, where one has failed. */
    endStaleRemovals: async (): Promise<number> => {
      const before = new Date(deps.clock().getTime() - staleAfterMs)
      const removals = await staleRemovals(deps.database, { before, limit: batchSizeMax })
      await forEachInTurn(
        removals,
        (schedule) => finishRemoval(deps, schedule, asSystem(deps, schedule.accountId)),
        (schedule, err) => deps.log.error({ err, ...schedule }, 'removal not ended'),
      )
      return removals.length
    },
  }
}
