import type { FoundCluster } from './cluster-fields.ts'
import type { ClusterInput } from './cluster-input.ts'
import { findClusters } from './cluster-search.ts'

/** Entry point of the worker thread: a large bank account takes seconds of arithmetic. */
export function run(input: ClusterInput): FoundCluster[] {
  return findClusters(input)
}
