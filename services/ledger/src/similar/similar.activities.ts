import { isTransient } from '@coffer/kit/rpc/errors'
import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import type { BankAccountKey } from '../accounts/bank-account.ts'
import { listTexts, newest, replaceClusters } from './cluster.sql.ts'
import { type ClusterInput, collectTexts } from './cluster-input.ts'
import type { Searchers } from './cluster-pool.client.ts'
import { endWaitingSearch, listWaitingSearches } from './waiting-search.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> & {
  searchers: Pick<Searchers, 'run'>
  /** How long nothing must have changed in a bank account before it is searched. */
  quietMs: number
}

// As large as spec/ledger.md 5.2 has them.
const pageSize = 2000
const waitingPageSize = 200
const searchShare = 0.5
// A bank account that is never left alone is searched all the same, so many quiet times late.
const quietTimesMax = 12

/** The search for similar transactions (spec/ledger.md 5); repeated, it changes nothing. */
export function similarActivities(deps: Deps) {
  const { database, clock, log, quietMs } = deps
  const versionBefore = (ms: number) => BigInt(clock().getTime() - ms) * 1000n
  return {
    /**
     * Searches a page of the bank accounts that wait for it, one after the other; returns where the
     * next page begins, null after the last. One that fails waits on. One whose search takes too
     * much waits for its next change.
     */
    clusterWaiting: async (after: BankAccountKey | null): Promise<BankAccountKey | null> => {
      const waiting = await listWaitingSearches(database, {
        after: after ?? { accountId: '', bankAccountId: '' },
        limit: waitingPageSize,
        quietUpTo: versionBefore(quietMs),
        waitedUpTo: versionBefore(quietMs * quietTimesMax),
      })
      using pace = createPace({ share: searchShare })
      for (const search of waiting) {
        const { accountId, bankAccountId } = search
        try {
          await pace.run(() => cluster(deps, { accountId, bankAccountId }))
          await endWaitingSearch(database, search)
        } catch (error) {
          log.warn({ err: error, accountId, bankAccountId }, 'similar transactions not found')
          if (!isTransient(error)) await endWaitingSearch(database, search)
        }
      }
      const last = waiting.at(waitingPageSize - 1)
      return last ? { accountId: last.accountId, bankAccountId: last.bankAccountId } : null
    },
  }
}

/** Finds the clusters of a bank account anew and stores them. */
async function cluster({ database, clock, searchers }: Deps, key: BankAccountKey): Promise<void> {
  const found = await searchers.run(await readTexts(database, key))
  const now = clock()
  const clusters = found.map((one) => ({
    ...{ ...key, ...one },
    transactionClusterId: newId('tcl'),
    createdAt: now,
    updatedAt: now,
  }))
  await replaceClusters(database, key, clusters)
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
