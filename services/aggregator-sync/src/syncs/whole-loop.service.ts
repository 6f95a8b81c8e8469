import { listLiveIds } from '@coffer/sync-kit/ledger.client'
import type { Importing } from './item-page.ts'
import type { ItemSync } from './item-sync.ts'
import { findUnlisted, isAnyListed } from './loop-items.sql.ts'
import { dayAfter, removeAll } from './page-import.service.ts'
import type { SyncDeps } from './sync-step.service.ts'

const days = 90

/**
 * Removes transactions of the last 90 days that a whole loop does not list; returns their number.
 * `listed`: IDs of its last page. Older ones are kept, because the aggregator's history ends; so
 * are those of an account of which it lists nothing.
 */
export async function removeUnlisted(
  deps: SyncDeps,
  sync: ItemSync,
  { accounts, listed }: { accounts: readonly Importing[]; listed: readonly string[] },
): Promise<number> {
  const { database } = deps
  const { accountId } = sync
  const from = dayAfter(deps.clock(), -days)
  let count = 0
  for (const { bankAccountId } of accounts) {
    if (!(await isAnyListed(database, sync, { bankAccountId, listed }))) continue
    for await (const known of listLiveIds(deps, accountId, { bankAccountId, from, to: null })) {
      const ids = await findUnlisted(database, sync, { known, listed })
      count += await removeAll(deps, accountId, { bankAccountId, ids })
    }
  }
  return count
}
