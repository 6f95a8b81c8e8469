import type { MessageInitShape } from '@bufbuild/protobuf'
import { refused } from '@coffer/kit/rpc/errors'
import { asSystem } from '@coffer/kit/rpc/system-call'
import type { ServiceDeps } from '@coffer/kit/service/service'
import {
  type ImportTransactionsRequestSchema,
  type SyncedBankAccount,
  SyncImportService,
  type UpsertBankAccountsRequestSchema,
} from '@coffer/proto/ledger/v1/sync_import'
import { type CallOptions, type Client, Code, ConnectError } from '@connectrpc/connect'
import { emptyTally, type Tally } from './tally.ts'

export type LedgerDeps = Pick<ServiceDeps, 'mesh' | 'signer' | 'clock'>

// Timeout of a call. It is long, because a batch of 500 transactions, which normally takes tens of
// milliseconds, takes seconds on a busy machine.
const timeoutMs = 30_000
// Enough for twice the 200,000 transactions of a bank account that a sync reads (docs/limits.md).
const pagesMax = 800

/**
 * Returns the client of the ledger's imports. Looked up at each call, because the ledger may start
 * later than this service.
 */
export function importsOf({ mesh }: LedgerDeps): Client<typeof SyncImportService> {
  return mesh.client('ledger', SyncImportService)
}

/** Returns the options of a call for an account: the caller is the service itself. */
export function callFor(deps: LedgerDeps, accountId: string): CallOptions {
  return { ...asSystem(deps, accountId), timeoutMs }
}

/** Returns the bank accounts of a link, archived ones too. Throws notFound if it is deleted. */
export async function listSyncedAccounts(
  deps: LedgerDeps,
  { accountId, linkId }: { accountId: string; linkId: string },
): Promise<SyncedBankAccount[]> {
  const call = callFor(deps, accountId)
  const { accounts } = await importsOf(deps).listSyncedBankAccounts({ linkId }, call)
  return accounts
}

/**
 * Throws refused if the ledger still has the link. The connection of a deleted link is released
 * only after this check, because a workflow alone does not prove the deletion.
 */
export async function requireDeletedLink(
  deps: LedgerDeps,
  key: { accountId: string; linkId: string },
): Promise<void> {
  const isKept = await listSyncedAccounts(deps, key).then(
    () => true,
    (error) => {
      if (ConnectError.from(error).code !== Code.NotFound) throw error
      return false
    },
  )
  if (isKept) throw refused('The link was not deleted')
}

/**
 * Updates the bank accounts of a link that the provider lists; creates none. Returns the provider's
 * IDs of the bank accounts that the ledger has.
 */
export async function refreshAccounts(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof UpsertBankAccountsRequestSchema>,
): Promise<string[]> {
  const only = { ...request, knownOnly: true }
  const { accounts } = await importsOf(deps).upsertBankAccounts(only, callFor(deps, accountId))
  return accounts.map(({ providerAccountId }) => providerAccountId)
}

/** Imports at most 500 transactions; returns how many were added, changed, matched and skipped. */
export async function importTransactions(
  deps: LedgerDeps,
  accountId: string,
  request: MessageInitShape<typeof ImportTransactionsRequestSchema>,
): Promise<Omit<Tally, 'removed'>> {
  const { counts } = await importsOf(deps).importTransactions(request, callFor(deps, accountId))
  // until 0.4: a ledger of 0.2.0 returns no counts.
  return counts ?? emptyTally()
}

/**
 * Yields the provider IDs of live records in ascending order, page by page. `from` and `to` are
 * days (YYYY-MM-DD), both included; null is no bound.
 */
export async function* listLiveIds(
  deps: LedgerDeps,
  accountId: string,
  { bankAccountId, from, to }: { bankAccountId: string; from: string | null; to: string | null },
): AsyncGenerator<string[]> {
  const days = { ...(from === null ? {} : { from }), ...(to === null ? {} : { to }) }
  let after = ''
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const request = { bankAccountId, ...days, after }
    const call = callFor(deps, accountId)
    const page = await importsOf(deps).listProviderTransactions(request, call)
    yield page.providerTransactionIds
    if (!page.hasMore) return
    after = page.providerTransactionIds.at(-1) ?? ''
  }
}

/** Removes at most 500 transactions by their provider IDs; returns how many were live. */
export async function removeTransactions(
  deps: LedgerDeps,
  accountId: string,
  of: { bankAccountId: string; providerTransactionIds: string[] },
): Promise<number> {
  const { removedCount } = await importsOf(deps).removeTransactions(of, callFor(deps, accountId))
  return removedCount
}

/** Returns whether an error of an import means that the bank account is archived. */
export function isArchived(error: unknown): boolean {
  return ConnectError.from(error).code === Code.FailedPrecondition
}

/**
 * Returns whether an error means a deleted link, an archived bank account, or a link of another
 * type: an aggregator link may have become a manual one.
 */
export function isGone(error: unknown): boolean {
  return ConnectError.from(error).code === Code.NotFound || isArchived(error)
}
