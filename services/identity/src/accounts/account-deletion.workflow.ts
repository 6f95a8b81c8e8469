import { isHistoryLong } from '@coffer/kit/workflows/history'
import { type Place, paged, runSteps } from '@coffer/kit/workflows/pages'
import { activitiesOf } from '@coffer/kit/workflows/task-queue'
import { continueAsNew, patched, sleep } from '@temporalio/workflow'
import type { accountDeletionActivities } from './account-deletion.activities.ts'
import type { timezoneChangeActivities } from './timezone-change.activities.ts'

/** Activities that every service runs on its own task queue; each can be repeated. */
interface RemovalActivities {
  closeAccount: (accountId: string) => Promise<void>
  removeAccountRows: (accountId: string) => Promise<boolean>
}

/** The ledger's activity that ends bank data connections; returns true while some remain. */
interface LedgerActivities {
  startLinkCleanUps: (accountId: string) => Promise<boolean>
}

// Services that remove their rows before identity, in this order. The ledger comes after the
// services that read its rows. `removeAll` appends notices, so that the positions from which runs
// of former releases continue keep their meaning.
const otherServices = ['feed-sync', 'aggregator-sync', 'budgeting', 'ledger']
const notices = 'notices'

// Activities send heartbeats, so that Temporal retries those of a killed process after 10 s.
const timeouts = { startToCloseTimeout: '2 minutes', heartbeatTimeout: '10 seconds' } as const

// Pause between the two passes. Requests that run during the first pass may still write rows,
// because caller tokens are valid for a minute; the second pass removes these rows.
const secondPassMs = 15 * 60_000

const ownActivities = () =>
  activitiesOf<ReturnType<typeof accountDeletionActivities>>('identity', timeouts)

/** Position in a deletion: `removed` services have no rows left; null before the removal. */
type Position = { pass: 1 | 2; removed: number | null }

/**
 * Deletes an account in every service (docs/account-data.md#deletion), in two passes `pauseMs`
 * apart. Runs as the workflow `delete-account/<accountId>`. Continue-as-new when the history is
 * long.
 */
export async function deleteAccount(
  accountId: string,
  pauseMs = secondPassMs,
  from: Position = { pass: 1, removed: null },
): Promise<void> {
  const boundHistory = async (position: Position) => {
    if (isHistoryLong()) await continueAsNew<typeof deleteAccount>(accountId, pauseMs, position)
  }
  await removeAll(accountId, from, boundHistory)
  if (from.pass === 1) {
    await sleep(pauseMs)
    await removeAll(accountId, { pass: 2, removed: null }, boundHistory)
  }
  await ownActivities().settleDeletion(accountId)
}

/** Runs one pass, or the rest of it from a position. Calls `boundHistory` in its loops. */
async function removeAll(
  accountId: string,
  { pass, removed }: Position,
  boundHistory: (position: Position) => Promise<void>,
): Promise<void> {
  const identity = ownActivities()
  const ledger = activitiesOf<LedgerActivities>('ledger', timeouts)
  // until 0.5: runs that a release before 0.4 began do not include notices.
  const services = patched('notices') ? [...otherServices, notices] : otherServices
  const others = services.map((service) => activitiesOf<RemovalActivities>(service, timeouts))
  if (removed === null) {
    for (const other of others) await other.closeAccount(accountId)
    for (let backoffMs = 250; await ledger.startLinkCleanUps(accountId); backoffMs *= 2) {
      await boundHistory({ pass, removed: null })
      await sleep(Math.min(backoffMs, 60_000))
    }
    await identity.endBilling(accountId)
    await identity.closeAccount(accountId)
  }
  for (const [index, service] of [...others, identity].entries()) {
    if (index < (removed ?? 0)) continue
    // Each call removes a bounded number of rows, and returns true when none is left.
    while (!(await service.removeAccountRows(accountId))) {
      await boundHistory({ pass, removed: index })
    }
  }
}

/** Restarts deletions and changes of timezones whose workflow was lost; runs every ten minutes. */
export async function sweepDeletions(place?: Place): Promise<void> {
  const steps = [paged('', ownActivities().restartDeletions)]
  if (patched('timezone-changes')) {
    const changes = activitiesOf<ReturnType<typeof timezoneChangeActivities>>('identity', timeouts)
    steps.push(paged('', changes.restartTimezoneChanges))
  }
  await runSteps(steps, place)
}
