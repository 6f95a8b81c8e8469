import { lastSequence } from '@coffer/kit/changes'
import { newId } from '@coffer/kit/id'
import { createPace } from '@coffer/kit/pace'
import type { ServiceDeps } from '@coffer/kit/service'
import type { Workers } from '@coffer/kit/workers'
import { type BankAccountKey, listTexts, newest, replaceClusters } from './cluster.sql.ts'
import type { FoundCluster } from './cluster-fields.ts'
import { type ClusterInput, collectTexts } from './cluster-input.ts'
import { noteSearch } from './similar-search.sql.ts'
import { endWaitingSearch, listWaitingSearches } from './waiting-search.sql.ts'

/** Threads that search for similar transactions. */
export type Searchers = Workers<ClusterInput, FoundCluster[]>

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> & { searchers: Searchers }

// As large as spec/ledger.md 5.2 has them.
const pageSize = 2000
const waitingPageSize = 200
const searchShare = 0.5

/** The search for similar transactions (spec/ledger.md 5); repeated, it changes nothing. */
export function similarActivities(deps: Deps) {
  return {
    /** Finds the clusters of a bank account anew, stores them and returns how many there are. */
    clusterTransactions: (key: BankAccountKey): Promise<number> => cluster(deps, key),
    /**
     * Searches a page of the bank accounts that got automatic transactions, one after the other;
     * returns where the next page begins, null after the last. One that fails waits on.
     */
    clusterWaiting: async (after: BankAccountKey | null): Promise<BankAccountKey | null> => {
      const start = after ?? { accountId: '', bankAccountId: '' }
      const waiting = await listWaitingSearches(deps.database, start, waitingPageSize)
      using pace = createPace({ share: searchShare })
      for (const search of waiting) {
        const { accountId, bankAccountId } = search
        try {
          await pace.run(() => cluster(deps, { accountId, bankAccountId }))
          await endWaitingSearch(deps.database, search)
        } catch (error) {
          deps.log.warn({ err: error, accountId, bankAccountId }, 'similar transactions not found')
        }
      }
      const last = waiting.at(waitingPageSize - 1)
      return last ? { accountId: last.accountId, bankAccountId: last.bankAccountId } : null
    },
  }
}

async function cluster({ database, clock, searchers }: Deps, key: BankAccountKey): Promise<number> {
  const sequence = await lastSequence(database, key.accountId)
  const found = await searchers.run(await readTexts(database, key))
  const now = clock()
  const clusters = found.map((one) => ({
    ...{ ...key, ...one },
    transactionClusterId: newId('tcl'),
    createdAt: now,
    updatedAt: now,
  }))
  await replaceClusters(database, key, clusters)
  await noteSearch(database, { ...key, sequence })
  return clusters.length
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
