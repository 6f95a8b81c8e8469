import { refreshAccounts } from '@coffer/sync-kit/ledger.client'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { ReadItem } from '../provider/aggregator.ts'
import { toProviderAccount } from './provider-account.ts'
import { callBy, type OpenedSync, type SyncDeps } from './sync-step.service.ts'

// Maximum number of accounts in a call of UpsertBankAccounts.
const accountsMax = 500

/**
 * Reads the item, and updates the bank accounts of its link. Returns what was read, and the
 * aggregator's IDs of the accounts that have bank accounts.
 */
export async function refreshItem(
  deps: SyncDeps,
  { accountId, linkId }: LinkKey,
  { item, aggregator }: Pick<OpenedSync, 'item' | 'aggregator'>,
): Promise<{ read: ReadItem; knownIds: string[] }> {
  const read = await aggregator.readItem(item, {}, callBy())
  const { accounts } = read
  // An empty list may be a fault: it makes no bank account inactive.
  const isComplete = accounts.length > 0 && accounts.length <= accountsMax
  const listed = accounts.slice(0, accountsMax).map(toProviderAccount)
  const request = { linkId, accounts: listed, isComplete }
  return { read, knownIds: await refreshAccounts(deps, accountId, request) }
}
