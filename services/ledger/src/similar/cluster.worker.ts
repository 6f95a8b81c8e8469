import type { FoundCluster } from './cluster-fields.ts'
import type { ClusterInput } from './cluster-input.ts'
import { findClusters } from './cluster-search.ts'

/** What runs in a worker thread: some seconds of arithmetic for a large bank account. */
export function run(input: ClusterInput): FoundCluster[] {
  return findClusters(input)
}
