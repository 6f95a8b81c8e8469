import {
  importTransactions,
  isArchived,
  listSyncedAccounts,
  refreshAccounts,
  removeTransactions,
} from '@coffer/sync-kit/ledger/ledger.client'
import { countIn, emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import { lastDayOf } from '@coffer/sync-kit/provider/row-values'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { ReadItem } from '../provider/aggregator.ts'
import type { BegunRun } from './item-sync-run.ts'
import { type AccountChanges, divideChanges, type Importing } from './page-rows.ts'
import { toProviderAccount } from './provider-account.ts'
import { callBy, type OpenedSync, type SyncDeps } from './sync-step.service.ts'

// Maximum number of transactions in a call of the ledger.
export const batchMax = 500

/**
 * The bank accounts of a link. `knownIds`: the aggregator's IDs of all; `accounts`: those that take
 * imports.
 */
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

// Maximum number of accounts in a call of UpsertBankAccounts.
const accountsMax = 500

/**
 * Reads the item, and updates the bank accounts of its link. Returns the item's accounts, and the
 * aggregator's IDs of those that have bank accounts.
 */
export async function refreshItem(
  deps: SyncDeps,
  { accountId, linkId }: LinkKey,
  { item, aggregator }: Pick<OpenedSync, 'item' | 'aggregator'>,
): Promise<{ read: ReadItem; knownIds: string[] }> {
  const read = await aggregator.readItem(item, {}, callBy())
  const { accounts } = read
  // An empty list may be a fault, so it must not make all bank accounts inactive.
  const isComplete = accounts.length > 0 && accounts.length <= accountsMax
  const listed = accounts.slice(0, accountsMax).map(toProviderAccount)
  const request = { linkId, accounts: listed, isComplete }
  return { read, knownIds: await refreshAccounts(deps, accountId, request) }
}

/** Imports the rows that a page adds or modifies; returns the counts of their outcomes. */
export async function importRows(
  deps: SyncDeps,
  run: BegunRun,
  of: { page: Parameters<typeof divideChanges>[0]; accounts: readonly Importing[] },
): Promise<Tally> {
  const { accounts } = of
  const lastDay = lastDayOf(deps.clock())
  const { changes, skipped } = divideChanges(of.page, { accounts, lastDay })
  const tally = { ...emptyTally(), skipped }
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
      countIn(tally, await importTransactions(deps, accountId, request))
    }
  } catch (error) {
    // The user has archived this bank account meanwhile: continue with the other ones.
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
