import type { BankAccountKey } from '@coffer/kit/database/aggregate-key'
import { isTransient } from '@coffer/kit/rpc/errors'
import { knownError } from '@coffer/kit/rpc/fault'
import { createPace } from '@coffer/kit/service/pace'
import type { ServiceDeps } from '@coffer/kit/service/service'
import { newId } from '@coffer/kit/values/id'
import { firstPage, listTexts, replaceClusters } from './cluster.sql.ts'
import { type ClusterInput, collectTexts } from './cluster-input.ts'
import type { Searchers } from './cluster-pool.client.ts'
import { endWaitingSearch, listWaitingSearches } from './waiting-search.sql.ts'

type Deps = Pick<ServiceDeps, 'database' | 'clock' | 'log'> & {
  searchers: Pick<Searchers, 'run'>
  /** Debounce in ms: a bank account is searched once it has not changed for this time. */
  quietMs: number
}

// Number of transactions per page of a search's input (docs/similar-transactions.md#input).
const pageSize = 2000
// Changed bank accounts per page; one execution of the activity searches one page.
const waitingPageSize = 200
// Duty cycle: maximum share of time (0 to 1) for searches; the rest is pauses.
const searchShare = 0.5
// A bank account that changes continually is searched after this multiple of `quietMs`.
const quietTimesMax = 12

/** Returns the idempotent Temporal activity of the search (docs/similar-transactions.md). */
export function similarActivities(deps: Deps) {
  const { database, log, quietMs } = deps
  return {
    /**
     * Searches a page of the changed bank accounts, and returns the cursor of the next page, null
     * after the last. A bank account whose search fails by a transient error is searched again in
     * the next run; after any other error, only once it has changed again.
     */
    clusterWaiting: async (after: BankAccountKey | null): Promise<BankAccountKey | null> => {
      const now = (await database.now()).getTime()
      const versionBefore = (ms: number) => BigInt(now - ms) * 1000n
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
          await pace.run(() => searchBankAccount(deps, { accountId, bankAccountId }))
          await endWaitingSearch(database, search)
        } catch (error) {
          log.warn(
            { err: error, accountId, bankAccountId },
            'search for similar transactions failed',
          )
          if (!isTransient(knownError(error))) await endWaitingSearch(database, search)
        }
      }
      const last = waiting.at(waitingPageSize - 1)
      return last ? { accountId: last.accountId, bankAccountId: last.bankAccountId } : null
    },
  }
}

/** Finds the clusters of one bank account and stores them. */
async function searchBankAccount(
  { database, clock, searchers }: Deps,
  key: BankAccountKey,
): Promise<void> {
  const found = await searchers.run(await readTexts(database, key))
  const now = clock()
  const clusters = found.map((one) => ({
    ...key,
    ...one,
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
  let after = firstPage
  for (;;) {
    const page = await listTexts(database, key, { after, limit: pageSize })
    add(page)
    const last = page.at(pageSize - 1)
    if (!last) return input
    after = last
  }
}
