import { siblingQueue } from '@coffer/kit/workflows/task-queue'
import { proxyActivities, sleep, workflowInfo } from '@temporalio/workflow'
import type { accountDeletionActivities } from './account-deletion.activities.ts'

/** Activities that each service has on its own task queue; each can be repeated. */
interface RemovalActivities {
  closeAccount: (accountId: string) => Promise<void>
  removeAccountRows: (accountId: string) => Promise<boolean>
}

/** The ledger's clean-ups of links, which release connections to providers. */
interface LedgerActivities {
  startLinkCleanUps: (accountId: string) => Promise<boolean>
}

// The ledger is last: the other services read its rows.
const otherServices = ['feed-sync', 'aggregator-sync', 'budgeting', 'ledger']

// Kit sends heartbeats: an activity of a killed process is retried after ten seconds.
const timeouts = { startToCloseTimeout: '2 minutes', heartbeatTimeout: '10 seconds' } as const

// Running requests have caller tokens that are valid for a minute, and may still write: a second
// pass after this pause removes their rows.
const secondPassMs = 15 * 60_000

/**
 * Deletes an account in every service, as the workflow `delete-account/<accountId>`
 * (docs/account-data.md#deletion). Order: all services stop accepting writes, connections to
 * providers are released, the subscription ends, rows are removed, identity's last. A second pass
 * follows after `pauseMs`.
 */
export async function deleteAccount(accountId: string, pauseMs = secondPassMs): Promise<void> {
  const identity = proxyActivities<ReturnType<typeof accountDeletionActivities>>(timeouts)
  const queueOf = (service: string) => siblingQueue(workflowInfo().taskQueue, service)
  const activitiesOf = (service: string) =>
    proxyActivities<RemovalActivities>({ ...timeouts, taskQueue: queueOf(service) })
  const ledger = proxyActivities<LedgerActivities>({ ...timeouts, taskQueue: queueOf('ledger') })
  const removeAll = async () => {
    for (const service of otherServices) await activitiesOf(service).closeAccount(accountId)
    for (let backoffMs = 250; await ledger.startLinkCleanUps(accountId); backoffMs *= 2) {
      await sleep(Math.min(backoffMs, 60_000))
    }
    await identity.endBilling(accountId)
    await identity.closeAccount(accountId)
    for (const remove of [
      ...otherServices.map((service) => activitiesOf(service).removeAccountRows),
      identity.removeAccountRows,
    ]) {
      while (!(await remove(accountId))) {
        // Each call removes a bounded number of rows.
      }
    }
  }
  await removeAll()
  await sleep(pauseMs)
  await removeAll()
  await identity.settleDeletion(accountId)
}

/** Restarts deletions whose workflow was lost; runs every ten minutes. */
export async function sweepDeletions(): Promise<void> {
  const identity = proxyActivities<ReturnType<typeof accountDeletionActivities>>(timeouts)
  let after: string | null = ''
  while (after !== null) after = await identity.restartDeletions(after)
}
