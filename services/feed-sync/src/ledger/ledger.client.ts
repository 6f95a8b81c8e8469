import type { MessageInitShape } from '@bufbuild/protobuf'
import { asSystem } from '@coffer/kit/rpc/system-call'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type SyncedBankAccount,
  SyncImportService,
  type UpsertBankAccountsRequestSchema,
} from '@coffer/proto/ledger/v1/sync_import'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import type { DayRange } from '../provider/day-range.ts'
import type { FeedItem } from '../syncs/feed-item.ts'
import type { PageResult } from '../syncs/feed-sync-run.ts'

export type LedgerDeps = Pick<ServiceDeps, 'mesh' | 'signer' | 'clock'>

interface BankAccountKey {
  accountId: string
  bankAccountId: string
}

// A batch of 500 transactions takes tens of milliseconds, seconds on a busy machine.
const timeoutMs = 30_000

/** Returns the bank accounts of a link, archived ones too. Throws notFound if it is deleted. */
export async function listSyncedAccounts(
  deps: LedgerDeps,
  { accountId, linkId }: { accountId: string; linkId: string },
): Promise<SyncedBankAccount[]> {
  const { accounts } = await ledger(deps).listSyncedBankAccounts({ linkId }, by(deps, accountId))
  return accounts
}

/** Updates the bank accounts of a link that the provider lists; creates none. */
export async function refreshAccounts(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof UpsertBankAccountsRequestSchema>,
): Promise<void> {
  await ledger(deps).upsertBankAccounts({ ...request, knownOnly: true }, by(deps, accountId))
}

type Counts = Pick<PageResult, 'added' | 'changed' | 'matched' | 'skipped'>

/** At most 500 transactions, and the days (YYYY-MM-DD) of which they are all. */
export interface ItemBatch {
  providerAccountId: string
  items: readonly FeedItem[]
  wholeDays: readonly string[]
}

/** Imports transactions; returns how many were added, changed, matched and skipped. */
export async function importItems(
  deps: LedgerDeps,
  key: BankAccountKey,
  batch: ItemBatch,
): Promise<Counts> {
  const request = requestOf(key, batch)
  const { counts } = await ledger(deps).importTransactions(request, by(deps, key.accountId))
  // A ledger of the version before counts nothing.
  return counts ?? noCounts
}

/** Returns as `matched` how many live records an import would end, for other IDs. */
export async function countReplaced(
  deps: LedgerDeps,
  key: BankAccountKey,
  batch: ItemBatch,
): Promise<Counts> {
  try {
    const request = { batch: requestOf(key, batch) }
    const { replaced } = await ledger(deps).countReplaced(request, by(deps, key.accountId))
    return { ...noCounts, matched: replaced }
  } catch (error) {
    // A ledger of the version before.
    if (ConnectError.from(error).code === Code.Unimplemented) return noCounts
    throw error
  }
}

const noCounts: Counts = { added: 0, changed: 0, matched: 0, skipped: 0 }

function requestOf(
  { bankAccountId }: BankAccountKey,
  { providerAccountId, items, wholeDays }: ItemBatch,
) {
  return { bankAccountId, providerAccountId, transactions: [...items], wholeDays: [...wholeDays] }
}

// 200,000 transactions of a bank account, the most that a sync reads (docs/limits.md), twice.
const pagesMax = 800

/** Yields the provider IDs of the live records of some days in ascending order, by pages. */
export async function* listLiveIds(
  deps: LedgerDeps,
  { accountId, bankAccountId }: BankAccountKey,
  { from, to }: DayRange,
): AsyncGenerator<string[]> {
  const days = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
  let after = ''
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const request = { bankAccountId, ...days, after }
    const page = await ledger(deps).listProviderTransactions(request, by(deps, accountId))
    yield page.providerTransactionIds
    if (!page.hasMore) return
    after = page.providerTransactionIds.at(-1) ?? ''
  }
}

/** Removes at most 500 transactions by their provider IDs; returns how many were live. */
export async function removeItems(
  deps: LedgerDeps,
  { accountId, bankAccountId }: BankAccountKey,
  providerTransactionIds: string[],
): Promise<number> {
  const request = { bankAccountId, providerTransactionIds }
  const { removedCount } = await ledger(deps).removeTransactions(request, by(deps, accountId))
  return removedCount
}

/** Sets the available and the current balance, in minor units of the bank account's currency. */
export async function setBalances(
  deps: LedgerDeps,
  { accountId, bankAccountId }: BankAccountKey,
  balance: bigint,
): Promise<void> {
  const request = { bankAccountId, availableBalance: balance, currentBalance: balance }
  await ledger(deps).setBalances(request, by(deps, accountId))
}

/**
 * Returns whether an error means a deleted link, or an archived bank account. The import calls
 * refuse nothing else but a link of another type, and the type of a feed link never changes.
 */
export function isGone(error: unknown): boolean {
  const { code } = ConnectError.from(error)
  return code === Code.NotFound || code === Code.FailedPrecondition
}

// The client is looked up for each call: a process without the ledger has none until it is called.
function ledger({ mesh }: LedgerDeps) {
  return mesh.client('ledger', SyncImportService)
}

function by(deps: LedgerDeps, accountId: string): CallOptions {
  return { ...asSystem(deps, accountId), timeoutMs }
}
