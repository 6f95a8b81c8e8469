import { refused } from '@coffer/kit/rpc/errors'
import { startWorkers, type Workers } from '@coffer/kit/service/workers'
import type { FoundCluster } from './cluster-fields.ts'
import type { ClusterInput } from './cluster-input.ts'

/** Threads that search for similar transactions; a search that takes too much is refused. */
export type Searchers = Workers<ClusterInput, FoundCluster[]>

/** Starts the threads. */
export function startSearchers(): Searchers {
  return startWorkers({
    module: new URL('./cluster.worker.ts', import.meta.url),
    threadsMax: 1,
    queueMax: 20,
    // A search that waits keeps other activities of the process waiting; Temporal repeats it.
    waitTimeoutMs: 5_000,
    taskTimeoutMs: 60_000,
    memoryMaxMb: 500,
    exceeded: () => {
      throw refused('the search takes too much time or memory')
    },
  })
}
