import type { Transaction } from '@coffer/kit/database/database'
import { emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import type { ChangePage } from '../provider/aggregator.ts'
import { faultOf } from '../provider/plaid-fault.ts'
import { importRows, type Known, listKnown, refreshItem } from './account-import.service.ts'
import { itemSyncs } from './item-sync.sql.ts'
import type { ItemSync } from './item-sync.ts'
import type { BegunRun, Pages } from './item-sync-run.ts'
import {
  isHeld,
  isSamePosition,
  isWithinLoop,
  nextCursorOf,
  noteSkipped,
  passPage,
  restartLoop,
  restartWhole,
} from './loop.ts'
import { removeAtEnd } from './loop-end.service.ts'
import { confirmLoopRows, deleteLoopRows, noteLoopRows } from './loop-rows.sql.ts'
import { listedIn, listStrangers } from './page-rows.ts'
import { callBy, type OpenedSync, type SyncDeps } from './sync-step.service.ts'

/** The link of a sync at a position in the changes of its item, and its bank accounts. */
export type Position = OpenedSync & { known: Known }

/** The effect of one page. */
export interface ImportedPage {
  /** The position after the page. */
  at: Position
  tally: Tally
  /**
   * `page`: read the next page now; `gone`: the sync has ended meanwhile. Other values: see
   * `Pages`.
   */
  next: 'page' | 'gone' | Pages['next']
}

/**
 * Imports one page: reads it, stores the IDs that it adds, imports its rows, removes transactions
 * at the end of a loop (loop.ts), and saves the next cursor last. After a crash, the same page is
 * read again and changes nothing twice. `isFirst`: first page of the activity.
 */
export async function importPage(
  deps: SyncDeps,
  run: BegunRun,
  { at: from, isFirst }: { at: Position; isFirst: boolean },
): Promise<ImportedPage> {
  const page = await readPage(deps, run, { at: from, isFirst })
  if (typeof page === 'string') return { at: from, tally: emptyTally(), next: page }
  const at = { ...from, known: await listKnownFor(deps, run, { at: from, page }) }
  const noted = await noteRows(deps, run, { at, page })
  const isOwn = noted !== null && isSamePosition(noted, at.sync)
  const tally = isOwn ? await importChanges(deps, run, { at, page }) : emptyTally()
  const sync = isOwn ? await savePosition(deps, run, { at, page }) : noted
  if (sync === null) return { at, tally, next: 'gone' }
  const end = page.readiness === 'initial' ? 'initial' : 'end'
  return { at: { ...at, sync }, tally, next: isWithinLoop(sync) ? 'page' : end }
}

/**
 * Reads the page at a position; `restarted` if the loop begins again, `more` at a limit of calls.
 */
async function readPage(
  deps: SyncDeps,
  run: BegunRun,
  { at, isFirst }: { at: Position; isFirst: boolean },
): Promise<ChangePage | Pages['next'] | 'gone'> {
  const { sync, item, aggregator } = at
  const cursor = nextCursorOf(sync)
  try {
    const page = await aggregator.readChanges(item, cursor, callBy())
    return page.readiness === 'not-ready' ? 'not-ready' : page
  } catch (error) {
    const { code } = faultOf(error) ?? {}
    if (code === 'not-ready') return 'not-ready'
    // Loan and brokerage accounts have balances but no transactions, so there is no page to read.
    if (code === 'no-transactions') return 'end'
    // Keeps the pages read so far; the next step waits for the limit.
    if (code === 'rate-limited' && !isFirst) return 'more'
    const isRefused = code === 'cursor-refused' && cursor !== null
    if (code !== 'mutated' && !isRefused) throw error
    const restarted = await changeAt(deps, run, {
      sync,
      change: (tx, now) =>
        itemSyncs.save(tx, isRefused ? restartWhole(now, deps.clock()) : restartLoop(now)),
    })
    return restarted ? 'restarted' : 'gone'
  }
}

/**
 * Returns the bank accounts for a page. If the page has an unknown account, reads the accounts of
 * the item again, because a renewed consent may have changed an ID since the sync read them.
 * Accounts with skipped rows from earlier pages cause no such call.
 */
async function listKnownFor(
  deps: SyncDeps,
  run: BegunRun,
  { at, page }: { at: Position; page: ChangePage },
): Promise<Known> {
  const { skippedAccounts } = at.sync
  const strangers = listStrangers(page, at.known.knownIds)
  if (strangers.every((id) => skippedAccounts.includes(id))) return at.known
  await refreshItem(deps, run, at)
  return listKnown(deps, run)
}

/**
 * Stores the IDs of the rows that a page adds (skipped ones too) and removes, before the import.
 * Returns the link, whose position differs if another attempt has already passed the page.
 */
async function noteRows(
  deps: SyncDeps,
  run: BegunRun,
  { at, page }: { at: Position; page: ChangePage },
): Promise<ItemSync | null> {
  const { sync, known } = at
  const byId = new Map(known.accounts.map((one) => [one.providerAccountId, one.bankAccountId]))
  const toLoopRow = ({ id, accountId }: { id: string; accountId: string }) => {
    return { bankAccountId: byId.get(accountId) ?? '', providerTransactionId: id }
  }
  const added = page.added.map(toLoopRow).filter(({ bankAccountId }) => bankAccountId !== '')
  const noted = { added, removed: page.removed.map(toLoopRow) }
  if (noted.added.length + noted.removed.length === 0) return sync
  return changeAt(deps, run, { sync, change: (tx) => noteLoopRows(tx, sync, noted) })
}

/** Imports the rows of a page, and removes transactions at the end of its loop. */
async function importChanges(
  deps: SyncDeps,
  run: BegunRun,
  { at, page }: { at: Position; page: ChangePage },
): Promise<Tally> {
  const { accounts } = at.known
  const tally = await importRows(deps, run, { page, accounts })
  if (page.hasMore) return tally
  return { ...tally, removed: await removeAtEnd(deps, at.sync, { page, accounts }) }
}

/** Saves the cursor after a page; returns the link, null if the sync has ended meanwhile. */
function savePosition(
  deps: SyncDeps,
  run: BegunRun,
  { at, page }: { at: Position; page: ChangePage },
): Promise<ItemSync | null> {
  const { sync, known } = at
  const listed = listedIn(page)
  return changeAt(deps, run, {
    sync,
    change: async (tx, now) => {
      const passed = passPage(now, page, deps.clock())
      await itemSyncs.save(tx, noteSkipped(passed, listStrangers(page, known.knownIds)))
      if (!page.hasMore && !isHeld(passed)) await deleteLoopRows(tx, sync)
      else if (listed.length > 0) await confirmLoopRows(tx, sync, listed)
    },
  })
}

/**
 * Compare-and-set: changes a link if its position is still that of `sync`. Returns the changed
 * link, null if the sync has ended meanwhile.
 */
function changeAt(
  { database }: SyncDeps,
  run: BegunRun,
  { sync, change }: { sync: ItemSync; change: (tx: Transaction, now: ItemSync) => Promise<void> },
): Promise<ItemSync | null> {
  return database.transaction(async (tx) => {
    const now = await itemSyncs.lock(tx, run)
    if (now?.syncRunId !== run.runId) return null
    if (!isSamePosition(now, sync)) return now
    await change(tx, now)
    return itemSyncs.lock(tx, run)
  })
}
