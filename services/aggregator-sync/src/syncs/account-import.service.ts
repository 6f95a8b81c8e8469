import {
  importTransactions,
  isArchived,
  listSyncedAccounts,
  removeTransactions,
} from '@coffer/sync-kit/ledger.client'
import type { Tally } from '@coffer/sync-kit/sync-state'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { BegunRun } from './item-sync-run.ts'
import { type AccountChanges, dayAfter, divideChanges, type Importing } from './page-rows.ts'
import type { SyncDeps } from './sync-step.service.ts'

// Maximum number of transactions in a call of the ledger.
export const batchMax = 500
const futureDays = 365

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

/** Imports the rows that a page adds and modifies; returns what became of them. */
export async function importRows(
  deps: SyncDeps,
  run: BegunRun,
  of: { page: Parameters<typeof divideChanges>[0]; accounts: readonly Importing[] },
): Promise<Tally> {
  const { accounts } = of
  const lastDay = dayAfter(deps.clock(), futureDays)
  const { changes, skipped } = divideChanges(of.page, { accounts, lastDay })
  const tally = { added: 0, changed: 0, matched: 0, removed: 0, skipped }
  using work = deps.load.begin(run)
  for (const one of changes) {
    await work.run(() => importAccount(deps, run, { changes: one, tally }))
  }
  return tally
}

async function importAccount(
  deps: SyncDeps,
  { accountId }: LinkKey,
  { changes, tally }: { changes: AccountChanges; tally: Tally },
): Promise<void> {
  const { bankAccountId, providerAccountId } = changes.account
  try {
    for (let start = 0; start < changes.transactions.length; start += batchMax) {
      const transactions = changes.transactions.slice(start, start + batchMax)
      const request = { bankAccountId, providerAccountId, transactions }
      const counts = await importTransactions(deps, accountId, request)
      for (const one of ['added', 'changed', 'matched', 'skipped'] as const) {
        tally[one] += counts[one]
      }
    }
  } catch (error) {
    // The user archived the bank account meanwhile: the others go on.
    if (!isArchived(error)) throw error
    tally.skipped += changes.transactions.length
  }
}

/** Removes transactions of a bank account; returns how many were live. */
export async function removeRows(
  deps: SyncDeps,
  accountId: string,
  { bankAccountId, ids }: { bankAccountId: string; ids: readonly string[] },
): Promise<number> {
  let count = 0
  for (let start = 0; start < ids.length; start += batchMax) {
    const providerTransactionIds = ids.slice(start, start + batchMax)
    count += await removeTransactions(deps, accountId, { bankAccountId, providerTransactionIds })
  }
  return count
}
