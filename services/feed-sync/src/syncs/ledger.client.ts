import { callFor, importItems, importsOf, type LedgerDeps } from '@coffer/sync-kit/ledger.client'
import { Code, ConnectError } from '@connectrpc/connect'
import type { FeedItem } from './feed-item.ts'
import type { PageResult } from './feed-sync-run.ts'

interface BankAccountKey {
  accountId: string
  bankAccountId: string
}

type Counts = Pick<PageResult, 'added' | 'changed' | 'matched' | 'skipped'>

/** At most 500 transactions, and the days (YYYY-MM-DD) of which they are all. */
export interface ItemBatch {
  providerAccountId: string
  items: readonly FeedItem[]
  wholeDays: readonly string[]
}

/** Imports transactions; returns how many were added, changed, matched and skipped. */
export function importBatch(
  deps: LedgerDeps,
  key: BankAccountKey,
  batch: ItemBatch,
): Promise<Counts> {
  return importItems(deps, key.accountId, requestOf(key, batch))
}

/** Returns as `matched` how many live records an import would end, for other IDs. */
export async function countReplaced(
  deps: LedgerDeps,
  key: BankAccountKey,
  batch: ItemBatch,
): Promise<Counts> {
  const noCounts = { added: 0, changed: 0, matched: 0, skipped: 0 }
  try {
    const request = { batch: requestOf(key, batch) }
    const { replaced } = await importsOf(deps).countReplaced(request, callFor(deps, key.accountId))
    return { ...noCounts, matched: replaced }
  } catch (error) {
    // until 0.4: a ledger of 0.2.0 has no such RPC.
    if (ConnectError.from(error).code === Code.Unimplemented) return noCounts
    throw error
  }
}

/** Sets the available and the current balance, in minor units of the bank account's currency. */
export async function setBalances(
  deps: LedgerDeps,
  { accountId, bankAccountId }: BankAccountKey,
  balance: bigint,
): Promise<void> {
  const request = { bankAccountId, availableBalance: balance, currentBalance: balance }
  await importsOf(deps).setBalances(request, callFor(deps, accountId))
}

function requestOf(
  { bankAccountId }: BankAccountKey,
  { providerAccountId, items, wholeDays }: ItemBatch,
) {
  return { bankAccountId, providerAccountId, transactions: [...items], wholeDays: [...wholeDays] }
}
