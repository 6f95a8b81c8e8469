import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { sleep } from '@temporalio/workflow'
import type { accountDeletionActivities } from './account-deletion.activities.ts'

/** Activities that every service runs on its own task queue; each can be repeated. */
interface RemovalActivities {
  closeAccount: (accountId: string) => Promise<void>
  removeAccountRows: (accountId: string) => Promise<boolean>
}

/** The ledger's activity that ends bank data connections; returns true while some remain. */
interface LedgerActivities {
  startLinkCleanUps: (accountId: string) => Promise<boolean>
}

// Services that remove their rows before identity, in this order. The ledger is the last of them,
// because the others read its rows.
const otherServices = ['feed-sync', 'aggregator-sync', 'budgeting', 'ledger']

// Activities send heartbeats, so that Temporal retries those of a killed process after 10 s.
const timeouts = { startToCloseTimeout: '2 minutes', heartbeatTimeout: '10 seconds' } as const

// Pause between the two passes. Requests that run during the first pass may still write rows,
// because caller tokens are valid for a minute; the second pass removes these rows.
const secondPassMs = 15 * 60_000

const ownActivities = () =>
  activitiesOf<ReturnType<typeof accountDeletionActivities>>('identity', timeouts)

/**
 * Deletes an account in every service (docs/account-data.md#deletion), in two passes `pauseMs`
 * apart. Runs as the workflow `delete-account/<accountId>`.
 */
export async function deleteAccount(accountId: string, pauseMs = secondPassMs): Promise<void> {
  const identity = ownActivities()
  const ledger = activitiesOf<LedgerActivities>('ledger', timeouts)
  const others = otherServices.map((service) => activitiesOf<RemovalActivities>(service, timeouts))
  const removeAll = async () => {
    for (const other of others) await other.closeAccount(accountId)
    for (let backoffMs = 250; await ledger.startLinkCleanUps(accountId); backoffMs *= 2) {
      await sleep(Math.min(backoffMs, 60_000))
    }
    await identity.endBilling(accountId)
    await identity.closeAccount(accountId)
    for (const service of [...others, identity]) {
      // Each call removes a bounded number of rows, and returns true when none is left.
      let isDone = false
      while (!isDone) isDone = await service.removeAccountRows(accountId)
    }
  }
  await removeAll()
  await sleep(pauseMs)
  await removeAll()
  await identity.settleDeletion(accountId)
}

/** Restarts deletions whose workflow was lost; runs every ten minutes. */
export async function sweepDeletions(): Promise<void> {
  const identity = ownActivities()
  let after: string | null = ''
  while (after !== null) after = await identity.restartDeletions(after)
}
