import type { Transaction } from '@coffer/kit/database/database'
import type { Tally } from '@coffer/sync-kit/sync-state'
import type { Step } from '@coffer/sync-kit/sync-step'
import type { ChangePage, WindowPage } from '../provider/aggregator.ts'
import { faultOf } from '../provider/plaid-fault.ts'
import { refreshItem } from './account-refresh.service.ts'
import { listStrangers } from './item-page.ts'
import { changeRunning, lockItemSync, saveItemSync } from './item-sync.sql.ts'
import { endWindow, type ItemSync } from './item-sync.ts'
import type { BegunRun, Pages } from './item-sync-run.ts'
import {
  isHeld,
  isSamePosition,
  isWithinLoop,
  nextCursorOf,
  noteSkipped,
  noteUnreadable,
  passPage,
  restartLoop,
  restartWhole,
} from './loop.ts'
import { confirmLoopItems, deleteLoopItems, noteLoopItems } from './loop-items.sql.ts'
import {
  dayAfter,
  divide,
  importChanges,
  type Known,
  listKnown,
  takeBack,
} from './page-import.service.ts'
import { callBy, type OpenedSync, runStep, type SyncDeps } from './sync-step.service.ts'
import { removeUnlisted } from './whole-loop.service.ts'

/** Returns the idempotent activities that store transactions. */
export function pageActivities(deps: SyncDeps) {
  return {
    importPages: (run: BegunRun): Promise<Step<Pages>> =>
      runStep(deps, run, (opened) => importPages(deps, run, opened)),
    importWindow: (run: BegunRun): Promise<Step<Tally>> =>
      runStep(deps, run, (opened) => importWindow(deps, run, opened)),
  }
}

type Opened = OpenedSync & { known: Known }

const none = { added: 0, changed: 0, matched: 0, removed: 0, skipped: 0 }
const pagesMax = 10
const windowDays = 14
const windowPagesMax = 20

/** Stores at most ten pages, each with its cursor after it. */
async function importPages(deps: SyncDeps, run: BegunRun, given: OpenedSync): Promise<Step<Pages>> {
  const opened: Opened = { ...given, known: await listKnown(deps, run) }
  const pages: Pages = { ...none, next: 'more' }
  for (let count = 0; count < pagesMax; count += 1) {
    const page = await readPage(deps, run, opened, { isFirst: count === 0 })
    if (typeof page === 'string') {
      if (page === 'gone') return { kind: 'gone' }
      return { kind: 'done', ...pages, next: page }
    }
    const sync = await importPage(deps, run, { opened, page, pages })
    if (!sync) return { kind: 'gone' }
    opened.sync = sync
    if (!isWithinLoop(sync)) {
      return { kind: 'done', ...pages, next: page.readiness === 'initial' ? 'initial' : 'end' }
    }
  }
  return { kind: 'done', ...pages, next: 'more' }
}

/** Reads the next page; `restarted` if the loop begins anew, `more` if a limit is reached. */
async function readPage(
  deps: SyncDeps,
  run: BegunRun,
  { sync, item, aggregator }: Opened,
  { isFirst }: { isFirst: boolean },
): Promise<ChangePage | Pages['next'] | 'gone'> {
  const cursor = nextCursorOf(sync)
  try {
    const page = await aggregator.readChanges(item, cursor, callBy())
    return page.readiness === 'not-ready' ? 'not-ready' : page
  } catch (error) {
    const { code } = faultOf(error) ?? {}
    if (code === 'not-ready') return 'not-ready'
    // Loans and brokerage accounts: the institution has balances only.
    if (code === 'no-transactions') return 'end'
    // The pages so far count; the next step waits.
    if (code === 'rate-limited' && !isFirst) return 'more'
    const isRefused = code === 'cursor-refused' && cursor !== null
    if (code !== 'mutated' && !isRefused) throw error
    const restarted = await changeAt(deps, run, {
      sync,
      change: (tx, now) =>
        saveItemSync(tx, isRefused ? restartWhole(now, deps.clock()) : restartLoop(now)),
    })
    return restarted ? 'restarted' : 'gone'
  }
}

/**
 * Stores a page and then its cursor, both or again: a page that is read again changes nothing.
 * Returns the link after it, null if the sync has ended meanwhile.
 */
async function importPage(
  deps: SyncDeps,
  run: BegunRun,
  { opened, page, pages }: { opened: Opened; page: ChangePage; pages: Pages },
): Promise<ItemSync | null> {
  const { sync } = opened
  const strangers = await meetStrangers(deps, run, { opened, page })
  const { accounts } = opened.known
  const noted = itemsOf(page, opened.known)
  if (noted.added.length + noted.removed.length > 0) {
    const now = await changeAt(deps, run, { sync, change: (tx) => noteLoopItems(tx, sync, noted) })
    if (!now || !isSamePosition(now, sync)) return now
  }
  await importChanges(deps, run, { divided: divide(deps, page, accounts), tally: pages })
  const removed = new Set(page.removed.map(({ id }) => id))
  const listed = [...page.added, ...page.modified].flatMap(({ id }) => (removed.has(id) ? [] : id))
  if (!page.hasMore) {
    const read = noteUnreadable(sync, page)
    pages.removed += await takeBack(deps, read, { accounts, listed })
    const isWhole = sync.wholeLoopStartedAt !== null && page.readiness === 'historical'
    const isComplete = isWhole && !read.loopIsIncomplete
    if (isComplete) pages.removed += await removeUnlisted(deps, sync, { accounts, listed })
  }
  return changeAt(deps, run, {
    sync,
    change: async (tx, now) => {
      const passed = passPage(now, page, deps.clock())
      await saveItemSync(tx, noteSkipped(passed, strangers))
      if (!page.hasMore && !isHeld(passed)) await deleteLoopItems(tx, sync)
      else if (listed.length > 0) await confirmLoopItems(tx, sync, listed)
    },
  })
}

/**
 * Returns the accounts of a page that are unknown, also after the accounts were read again: a
 * renewed consent may have changed an ID after the sync read them. Accounts whose rows were skipped
 * before cause no such call.
 */
async function meetStrangers(
  deps: SyncDeps,
  run: BegunRun,
  { opened, page }: { opened: Opened; page: ChangePage },
): Promise<string[]> {
  const { skippedAccounts } = opened.sync
  const strangers = listStrangers(page, opened.known.knownIds)
  if (strangers.every((id) => skippedAccounts.includes(id))) return strangers
  await refreshItem(deps, run, opened)
  opened.known = await listKnown(deps, run)
  return listStrangers(page, opened.known.knownIds)
}

/** Returns what a page adds, rows that are skipped too, and what it removes. */
function itemsOf(page: ChangePage, { accounts }: Known) {
  const byId = new Map(accounts.map((one) => [one.providerAccountId, one.bankAccountId]))
  const toItem = ({ id, accountId }: { id: string; accountId: string }) => {
    return { bankAccountId: byId.get(accountId) ?? '', providerTransactionId: id }
  }
  const added = page.added.map(toItem).filter(({ bankAccountId }) => bankAccountId !== '')
  return { added, removed: page.removed.map(toItem) }
}

/**
 * Compare-and-set: applies a change to a link if its position is still that of `sync`. Returns the
 * link after it, null if the sync has ended meanwhile.
 */
function changeAt(
  { database }: SyncDeps,
  run: BegunRun,
  { sync, change }: { sync: ItemSync; change: (tx: Transaction, now: ItemSync) => Promise<void> },
): Promise<ItemSync | null> {
  return database.transaction(async (tx) => {
    const now = await lockItemSync(tx, run)
    if (now?.syncRunId !== run.runId) return null
    if (!isSamePosition(now, sync)) return now
    await change(tx, now)
    return lockItemSync(tx, run)
  })
}

/**
 * Imports the transactions of the last 14 days again: they repair what an earlier sync missed. No
 * loop lists the removal of one that it adds, if it is removed before the next loop. So it requests
 * a whole loop before its imports, and withdraws this request if they add nothing.
 */
async function importWindow(
  deps: SyncDeps,
  run: BegunRun,
  opened: OpenedSync,
): Promise<Step<Tally>> {
  const requestedAt = deps.clock()
  const change = (to: (sync: ItemSync) => ItemSync) =>
    deps.database.transaction((tx) => changeRunning(tx, run, to))
  const requested = await change((sync) => {
    return { ...sync, wholeRequestedAt: sync.wholeRequestedAt ?? requestedAt }
  })
  if (!requested) return { kind: 'gone' }
  const tally = await readDays(deps, run, opened)
  const isRepaired = tally.added + tally.matched > 0
  await change((sync) => {
    const isOwn = sync.wholeRequestedAt?.getTime() === requestedAt.getTime()
    return endWindow(!isRepaired && isOwn ? { ...sync, wholeRequestedAt: null } : sync)
  })
  return { kind: 'done', ...tally }
}

/** Imports the pages of the last 14 days. */
async function readDays(
  deps: SyncDeps,
  run: BegunRun,
  { item, aggregator }: OpenedSync,
): Promise<Tally> {
  const { accounts } = await listKnown(deps, run)
  const tally = { ...none }
  const dayOf = (days: number) => dayAfter(deps.clock(), days)
  // A day more on both sides: days are those of the institution.
  const window = { from: dayOf(-windowDays - 1), to: dayOf(1) }
  let offset = 0
  for (let pages = 0; pages < windowPagesMax; pages += 1) {
    const read = await readWindow(aggregator.readWindow(item, { ...window, offset }, callBy()))
    if (!read) break
    const { transactions, unreadable, total } = read
    const page = { added: transactions, modified: [], unreadable }
    await importChanges(deps, run, { divided: divide(deps, page, accounts), tally })
    const count = transactions.length + unreadable
    offset += count
    if (count === 0 || offset >= total) break
  }
  return tally
}

/** Returns null if the institution has no transactions, or none yet. */
async function readWindow(answer: Promise<WindowPage>): Promise<WindowPage | null> {
  try {
    return await answer
  } catch (error) {
    const { code } = faultOf(error) ?? {}
    if (code === 'not-ready' || code === 'no-transactions') return null
    throw error
  }
}
