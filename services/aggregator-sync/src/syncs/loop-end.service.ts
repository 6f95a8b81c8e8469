import { isArchived, listLiveIds } from '@coffer/sync-kit/ledger/ledger.client'
import { dayAfter } from '@coffer/sync-kit/provider/row-values'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { ChangePage } from '../provider/aggregator.ts'
import { batchMax, removeRows } from './account-import.service.ts'
import type { ItemSync } from './item-sync.ts'
import { isAwaited, type Loop, noteUnreadable } from './loop.ts'
import { findUnlisted, isAnyListed, type LoopRow, listWithdrawn } from './loop-rows.sql.ts'
import { type Importing, listedIn } from './page-rows.ts'
import type { SyncDeps } from './sync-step.service.ts'

/**
 * The bank accounts of a link, and the IDs that the last page of a loop (loop.ts) adds or modifies.
 */
interface Listed {
  accounts: readonly Importing[]
  listed: readonly string[]
}

/**
 * Removes transactions at the end of a loop, whose last page is `page`: transactions that the loop
 * withdraws, and for a whole loop also those that it does not list. Returns their number.
 */
export async function removeAtEnd(
  deps: SyncDeps,
  sync: ItemSync,
  { page, accounts }: { page: ChangePage; accounts: readonly Importing[] },
): Promise<number> {
  const of = { accounts, listed: listedIn(page) }
  const read = noteUnreadable(sync, page)
  const count = await takeBack(deps, read, of)
  const isWhole = sync.wholeLoopStartedAt !== null && page.readiness === 'historical'
  if (!isWhole || read.loopIsIncomplete) return count
  return count + (await removeUnlisted(deps, sync, of))
}

// Maximum number of pages of transactions that a loop removes: as many as a sync reads.
const withdrawnPagesMax = 2_000

/**
 * Removes transactions that pages of the loop remove, and those that only pages before a restart
 * added, whose removal the aggregator does not list. Of a loop with unreadable rows, removes only
 * the former.
 */
async function takeBack(
  deps: SyncDeps,
  loop: LinkKey & Loop,
  { accounts, listed }: Listed,
): Promise<number> {
  const { accountId, linkId, loopNumber } = loop
  let count = 0
  let after = ''
  for (let pages = 0; pages < withdrawnPagesMax; pages += 1) {
    const isComplete = !loop.loopIsIncomplete
    const of = { loopNumber, isComplete, listed, after, limit: batchMax }
    const withdrawn = await listWithdrawn(deps.database, { accountId, linkId }, of)
    // An unreadable row may be the posting of a pending transaction, or may add a transaction of an
    // unknown account under a new ID (after a renewed consent). Such transactions are kept.
    const isSure = ({ bankAccountId, providerTransactionId }: LoopRow) =>
      isComplete || (bankAccountId !== '' && !isAwaited(loop, providerTransactionId))
    const removed = withdrawn.filter(isSure)
    // If the account is unknown, all bank accounts are tried, since the ledger ignores unknown IDs.
    const owned = removed.flatMap((one) =>
      one.bankAccountId ? [one] : accounts.map(({ bankAccountId }) => ({ ...one, bankAccountId })),
    )
    for (const [bankAccountId, rows] of Map.groupBy(owned, (one) => one.bankAccountId)) {
      const ids = rows.map(({ providerTransactionId }) => providerTransactionId)
      try {
        count += await removeRows(deps, accountId, { bankAccountId, ids })
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

const days = 90

/**
 * Removes transactions of the last 90 days that a whole loop does not list. Keeps older ones,
 * because the aggregator's history is limited, and those of accounts without any listed
 * transaction.
 */
async function removeUnlisted(
  deps: SyncDeps,
  sync: ItemSync,
  { accounts, listed }: Listed,
): Promise<number> {
  const { database } = deps
  const { accountId } = sync
  const from = dayAfter(deps.clock(), -days)
  let count = 0
  for (const { bankAccountId } of accounts) {
    if (!(await isAnyListed(database, sync, { bankAccountId, listed }))) continue
    for await (const known of listLiveIds(deps, accountId, { bankAccountId, from, to: null })) {
      const ids = await findUnlisted(database, sync, { known, listed })
      count += await removeRows(deps, accountId, { bankAccountId, ids })
    }
  }
  return count
}
