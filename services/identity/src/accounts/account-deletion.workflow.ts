import { siblingQueue } from '@coffer/kit/workflows/task-queue'
import { proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { accountDeletionActivities } from './account-deletion.activities.ts'

/** What every service does on its own queue; each can be repeated. */
interface Elsewhere {
  closeAccount: (accountId: string) => Promise<void>
  removeAccountRows: (accountId: string) => Promise<boolean>
}

/** What the ledger does besides: the clean-ups of links, which release their connections. */
interface Ledger {
  startLinkCleanUps: (accountId: string) => Promise<boolean>
}

// What has the money goes last: the others look at it.
const others = ['feed-sync', 'aggregator-sync', 'budgeting', 'ledger']

// Every activity beats while it runs (kit): one whose process was killed is tried again soon.
const timeouts = { startToCloseTimeout: '2 minutes', heartbeatTimeout: '10 seconds' } as const

// Caller tokens live for a minute, and what is under way may take some more: what it still wrote is
// removed after this.
const latenessMs = 15 * 60_000

/**
 * Deletes an account everywhere; its ID is `delete-account/<accountId>`. First every service is
 * told, so that nothing new comes in; connections are released, rows removed, the subscription
 * ended, and at last what identity knows of it. Some time later, less in tests, it looks for what
 * came late.
 */
export async function deleteAccount(accountId: string, laterMs = latenessMs): Promise<void> {
  const here = proxyActivities<ReturnType<typeof accountDeletionActivities>>(timeouts)
  const queueOf = (service: string) => siblingQueue(workflowInfo().taskQueue, service)
  const at = (service: string) =>
    proxyActivities<Elsewhere>({ ...timeouts, taskQueue: queueOf(service) })
  const ledger = proxyActivities<Ledger>({ ...timeouts, taskQueue: queueOf('ledger') })
  const removeAll = async () => {
    for (const service of others) await at(service).closeAccount(accountId)
    for (let pauseMs = 250; await ledger.startLinkCleanUps(accountId); pauseMs *= 2) {
      await sleep(Math.min(pauseMs, 60_000))
    }
    await here.endBilling(accountId)
    await here.closeAccount(accountId)
    for (const remove of [
      ...others.map((service) => at(service).removeAccountRows),
      here.removeAccountRows,
    ]) {
      while (!(await remove(accountId))) {
        // Each call removes a bounded number of rows.
      }
    }
  }
  await removeAll()
  await sleep(laterMs)
  await removeAll()
  await here.settleDeletion(accountId)
}

/** Goes on with deletions that were left unfinished; runs every ten minutes. */
export async function sweepDeletions(): Promise<void> {
  const here = proxyActivities<ReturnType<typeof accountDeletionActivities>>(timeouts)
  let after: string | null = ''
  while (after !== null) after = await here.restartDeletions(after)
}
