import { say } from '@coffer/kit/reasons/reasons'
import { refused } from '@coffer/kit/rpc/errors'
import { startWorkers, type Workers } from '@coffer/kit/service/workers'
import type { FoundCluster } from './cluster-fields.ts'
import type { ClusterInput } from './cluster-input.ts'

/** Worker threads that find similar transactions, within limits of time and memory. */
export type Searchers = Workers<ClusterInput, FoundCluster[]>

export function startSearchers(): Searchers {
  return startWorkers({
    module: new URL('./cluster.worker.ts', import.meta.url),
    threadsMax: 1,
    queueMax: 20,
    // Short: a waiting search blocks other activities, and the next run repeats the search anyway.
    waitTimeoutMs: 5_000,
    taskTimeoutMs: 60_000,
    memoryMaxMb: 500,
    exceeded: () => {
      throw refused(say('SEARCH_TOO_WIDE'))
    },
  })
}
