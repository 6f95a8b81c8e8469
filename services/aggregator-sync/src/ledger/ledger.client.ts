import type { MessageInitShape } from '@bufbuild/protobuf'
import { asSystem } from '@coffer/kit/rpc/system-call'
import type { ServiceDeps } from '@coffer/kit/service/service'
import type { Tally } from '@coffer/kit/syncs/sync-state'
import {
  type ImportTransactionsRequestSchema,
  type SyncedBankAccount,
  SyncImportService,
  type UpsertBankAccountsRequestSchema,
} from '@coffer/proto/ledger/v1/sync_import'
import { type CallOptions, Code, ConnectError } from '@connectrpc/connect'
import type { LinkKey } from '../links/aggregator-link.ts'

export type LedgerDeps = Pick<ServiceDeps, 'mesh' | 'signer' | 'clock'>

// A batch of 500 transactions takes tens of milliseconds, seconds on a busy machine.
const timeoutMs = 30_000

/** Returns the bank accounts of a link, archived ones too. Throws notFound if it is deleted. */
export async function listSyncedAccounts(
  deps: LedgerDeps,
  { accountId, linkId }: LinkKey,
): Promise<SyncedBankAccount[]> {
  const { accounts } = await ledger(deps).listSyncedBankAccounts({ linkId }, by(deps, accountId))
  return accounts
}

/** Creates a link unless it exists. Throws notFound if it is deleted, refused at the maximum. */
export async function upsertLink(
  deps: LedgerDeps,
  { accountId, linkId }: LinkKey,
  of: { institutionName: string; createdBy: string },
): Promise<void> {
  await ledger(deps).upsertLink({ linkId, ...of }, by(deps, accountId))
}

/** Creates or updates bank accounts of a link. */
export async function upsertAccounts(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof UpsertBankAccountsRequestSchema>,
): Promise<void> {
  await ledger(deps).upsertBankAccounts(request, by(deps, accountId))
}

/** Deletes a link whose creation failed, if it exists. */
export async function discardLink(deps: LedgerDeps, { accountId, linkId }: LinkKey): Promise<void> {
  await ledger(deps).discardLink({ linkId }, by(deps, accountId))
}

/** Leaves a link to its user as a manual one, unless it was deleted. */
export async function detachLink(deps: LedgerDeps, { accountId, linkId }: LinkKey): Promise<void> {
  await ledger(deps).detachLink({ linkId }, by(deps, accountId))
}

/**
 * Updates the bank accounts of a link that the aggregator lists; creates none. Returns the
 * aggregator's IDs of those that the ledger has.
 */
export async function refreshAccounts(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof UpsertBankAccountsRequestSchema>,
): Promise<string[]> {
  const only = { ...request, knownOnly: true }
  const { accounts } = await ledger(deps).upsertBankAccounts(only, by(deps, accountId))
  return accounts.map(({ providerAccountId }) => providerAccountId)
}

/** Imports at most 500 transactions; returns how many were added, changed, matched and skipped. */
export async function importItems(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof ImportTransactionsRequestSchema>,
): Promise<Omit<Tally, 'removed'>> {
  const { counts } = await ledger(deps).importTransactions(request, by(deps, accountId))
  // A ledger of the version before counts nothing.
  return counts ?? { added: 0, changed: 0, matched: 0, skipped: 0 }
}

// 200,000 transactions of a bank account.
const pagesMax = 400

/** Yields the provider IDs of the live records since a day in ascending order, by pages. */
export async function* listLiveIds(
  deps: LedgerDeps,
  accountId: string,
  of: { bankAccountId: string; from: string },
): AsyncGenerator<string[]> {
  let after = ''
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const page = await ledger(deps).listProviderTransactions({ ...of, after }, by(deps, accountId))
    yield page.providerTransactionIds
    if (!page.hasMore) return
    after = page.providerTransactionIds.at(-1) ?? ''
  }
}

/** Removes at most 500 transactions by their provider IDs; returns how many were live. */
export async function removeItems(
  deps: LedgerDeps,
  accountId: string,
  of: { bankAccountId: string; providerTransactionIds: string[] },
): Promise<number> {
  const { removedCount } = await ledger(deps).removeTransactions(of, by(deps, accountId))
  return removedCount
}

/** Returns whether an error of an import means that the bank account is archived. */
export function isArchived(error: unknown): boolean {
  return ConnectError.from(error).code === Code.FailedPrecondition
}

/** Returns whether an error means a link that was deleted, or that is a manual one now. */
export function isGone(error: unknown): boolean {
  return ConnectError.from(error).code === Code.NotFound || isArchived(error)
}

// The client is looked up for each call: a process without the ledger has none until it is called.
function ledger({ mesh }: LedgerDeps) {
  return mesh.client('ledger', SyncImportService)
}

function by(deps: LedgerDeps, accountId: string): CallOptions {
  return { ...asSystem(deps, accountId), timeoutMs }
}
