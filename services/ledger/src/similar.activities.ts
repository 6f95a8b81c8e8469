import { newId } from '@coffer/kit/id'
import type { ServiceDeps } from '@coffer/kit/service'
import type { Workers } from '@coffer/kit/workers'
import { type BankAccountKey, listTexts, newest, replaceClusters } from './cluster.sql.ts'
import type { FoundCluster } from './cluster-fields.ts'
import { type ClusterInput, collectTexts } from './cluster-input.ts'

/** Threads that search for similar transactions. */
export type Searchers = Workers<ClusterInput, FoundCluster[]>

type Deps = Pick<ServiceDeps, 'database' | 'clock'> & { searchers: Searchers }

// As large as spec/ledger.md 5.2 has them.
const pageSize = 2000

/** The search for similar transactions (spec/ledger.md 5); repeated, it changes nothing. */
export function similarActivities({ database, clock, searchers }: Deps) {
  return {
    /** Finds the clusters of a bank account anew, stores them and returns how many there are. */
    clusterTransactions: async (key: BankAccountKey): Promise<number> => {
      const found = await searchers.run(await readTexts(database, key))
      const now = clock()
      const clusters = found.map((one) => ({
        ...{ ...key, ...one },
        transactionClusterId: newId('tcl'),
        createdAt: now,
        updatedAt: now,
      }))
      await replaceClusters(database, key, clusters)
      return clusters.length
    },
  }
}

async function readTexts(
  database: ServiceDeps['database'],
  key: BankAccountKey,
): Promise<ClusterInput> {
  const { add, input } = collectTexts()
  let after = newest
  for (;;) {
    const page = await listTexts(database, key, { after, limit: pageSize })
    add(page)
    const last = page.at(pageSize - 1)
    if (!last) return input
    after = last
  }
}
