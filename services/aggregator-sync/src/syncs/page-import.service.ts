import { dayMs } from '@coffer/kit/values/time'
import {
  importItems,
  isArchived,
  listSyncedAccounts,
  removeItems,
} from '@coffer/sync-kit/ledger.client'
import type { Tally } from '@coffer/sync-kit/sync-state'
import type { LinkKey } from '../connections/aggregator-link.ts'
import { type AccountItems, divideChanges, type Importing } from './item-page.ts'
import type { BegunRun } from './item-sync-run.ts'
import { isAwaited, type Loop } from './loop.ts'
import { type LoopItem, listWithdrawn } from './loop-items.sql.ts'
import type { SyncDeps } from './sync-step.service.ts'

type Divided = ReturnType<typeof divideChanges>

// Maximum number of transactions in a call of the ledger.
const batchMax = 500
const futureDays = 365

/** Returns the day that is this number of days from now, YYYY-MM-DD in UTC. */
export function dayAfter(now: Date, days: number): string {
  return new Date(now.getTime() + days * dayMs).toISOString().slice(0, 10)
}

/** The bank accounts of a link: all, and those that take imports. */
export interface Known {
  knownIds: string[]
  accounts: Importing[]
}

/**
 * Lists the bank accounts of a link that take imports, and the aggregator's IDs of all, archived
 * ones too. Throws notFound for a deleted link.
 */
export async function listKnown(deps: SyncDeps, key: LinkKey): Promise<Known> {
  const synced = await listSyncedAccounts(deps, key)
  return {
    knownIds: synced.map(({ providerAccountId }) => providerAccountId),
    accounts: synced.filter(({ isArchived }) => !isArchived),
  }
}

/** Divides a page by bank accounts, with the last day of transactions that are imported. */
export function divide(
  { clock }: Pick<SyncDeps, 'clock'>,
  page: Parameters<typeof divideChanges>[0],
  accounts: readonly Importing[],
): Divided {
  return divideChanges(page, { accounts, lastDay: dayAfter(clock(), futureDays) })
}

/** Imports what was added and modified. Counts in `tally`. */
export async function importChanges(
  deps: SyncDeps,
  run: BegunRun,
  { divided, tally }: { divided: Divided; tally: Tally },
): Promise<void> {
  tally.skipped += divided.skipped
  using work = deps.load.begin(run)
  for (const changes of divided.changes) {
    await work.run(() => importAccount(deps, run, { changes, tally }))
  }
}

async function importAccount(
  deps: SyncDeps,
  { accountId }: LinkKey,
  { changes, tally }: { changes: AccountItems; tally: Tally },
): Promise<void> {
  const { account, items } = changes
  const { bankAccountId, providerAccountId } = account
  try {
    for (let start = 0; start < items.length; start += batchMax) {
      const transactions = items.slice(start, start + batchMax)
      const request = { bankAccountId, providerAccountId, transactions }
      const counts = await importItems(deps, accountId, request)
      for (const one of ['added', 'changed', 'matched', 'skipped'] as const) {
        tally[one] += counts[one]
      }
    }
  } catch (error) {
    // The user archived the bank account meanwhile: the others go on.
    if (!isArchived(error)) throw error
    tally.skipped += items.length
  }
}

/** Removes transactions of a bank account; returns how many were live. */
export async function removeAll(
  deps: SyncDeps,
  accountId: string,
  { bankAccountId, ids }: { bankAccountId: string; ids: readonly string[] },
): Promise<number> {
  let count = 0
  for (let start = 0; start < ids.length; start += batchMax) {
    const providerTransactionIds = ids.slice(start, start + batchMax)
    count += await removeItems(deps, accountId, { bankAccountId, providerTransactionIds })
  }
  return count
}

// A million transactions, as many as the pages of a sync have.
const withdrawnPagesMax = 2_000

/**
 * Removes transactions at the end of a loop: those that its pages remove, and those that pages
 * before its restart have added and that it no longer lists, whose removal the aggregator does not
 * list. `listed`: IDs that the last page adds or modifies. An ID of an unknown account is tried in
 * all bank accounts: the ledger ignores unknown IDs. An incomplete loop removes only what its pages
 * remove. It keeps pending transactions whose posting may be unreadable, and those of an unknown
 * account: after a renewed consent, an unreadable row may add them under a new ID.
 */
export async function takeBack(
  deps: SyncDeps,
  loop: LinkKey & Loop,
  { accounts, listed }: { accounts: readonly Importing[]; listed: readonly string[] },
): Promise<number> {
  const { accountId, linkId, loopNumber } = loop
  let count = 0
  let after = ''
  for (let pages = 0; pages < withdrawnPagesMax; pages += 1) {
    const isComplete = !loop.loopIsIncomplete
    const of = { loopNumber, isComplete, listed, after, limit: batchMax }
    const withdrawn = await listWithdrawn(deps.database, { accountId, linkId }, of)
    const isSure = ({ bankAccountId, providerTransactionId }: LoopItem) =>
      isComplete || (bankAccountId !== '' && !isAwaited(loop, providerTransactionId))
    const removed = withdrawn.filter(isSure)
    const owned = removed.flatMap((one) =>
      one.bankAccountId ? [one] : accounts.map(({ bankAccountId }) => ({ ...one, bankAccountId })),
    )
    for (const [bankAccountId, items] of Map.groupBy(owned, (one) => one.bankAccountId)) {
      const ids = items.map(({ providerTransactionId }) => providerTransactionId)
      try {
        count += await removeAll(deps, accountId, { bankAccountId, ids })
      } catch (error) {
        if (!isArchived(error)) throw error
      }
    }
    const last = withdrawn.at(batchMax - 1)
    if (!last) break
    after = last.providerTransactionId
  }
  return count
}
