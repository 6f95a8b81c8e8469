import type { FoundCluster } from './cluster-fields.ts'
import type { ClusterInput } from './cluster-input.ts'
import { findClusters } from './cluster-search.ts'

/** Entry point of the worker thread: a search takes seconds and would block the event loop. */
export function run(input: ClusterInput): FoundCluster[] {
  return findClusters(input)
}
