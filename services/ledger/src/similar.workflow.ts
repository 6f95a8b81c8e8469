import {
  condition,
  continueAsNew,
  defineSignal,
  proxyActivities,
  setHandler,
} from '@temporalio/workflow'
import type { similarActivities } from './similar.activities.ts'

/** Which bank account, and how long nothing must have changed in it before the search, in ms. */
export type SimilarSearch = { accountId: string; bankAccountId: string; quietMs: number }

const { clusterTransactions, clusterWaiting } = proxyActivities<
  ReturnType<typeof similarActivities>
>({
  startToCloseTimeout: '5 minutes',
  heartbeatTimeout: '10 seconds',
  retry: { maximumAttempts: 10, maximumInterval: '1 minute' },
})

const trigger = defineSignal('trigger')

// An account that is never quiet is searched all the same, and no history grows without end.
const waitsMax = 12
const searchesMax = 20

/**
 * Searches a bank account for similar transactions once nothing has changed in it for a while, and
 * again when something did meanwhile; its ID is `similar/<bankAccountId>`. After every trigger a
 * search begins that is at least `quietMs` younger.
 */
export async function findSimilar(search: SimilarSearch): Promise<void> {
  const { accountId, bankAccountId, quietMs } = search
  let isTriggered = false
  setHandler(trigger, () => {
    isTriggered = true
  })
  for (let searches = 0; searches < searchesMax; searches++) {
    for (let waits = 0; waits < waitsMax; waits++) {
      isTriggered = false
      if (!(await condition(() => isTriggered, quietMs))) break
    }
    await clusterTransactions({ accountId, bankAccountId })
    if (!isTriggered) return
  }
  await continueAsNew<typeof findSimilar>(search)
}

/**
 * Searches the bank accounts that got automatic transactions, page by page: the hourly job makes
 * them in thousands at once, too many for a workflow each. Runs every five minutes.
 */
export async function findWaitingSimilar(): Promise<void> {
  let next: Awaited<ReturnType<typeof clusterWaiting>> = null
  do {
    next = await clusterWaiting(next)
  } while (next !== null)
}
