import { countIn, emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import { outcomeOf, type Settled, type Step, settle } from '@coffer/sync-kit/syncs/sync-run'
import type { SyncOutcome } from '@coffer/sync-kit/syncs/sync-state'
import { type DayRange, daysBefore, splitRange } from '../provider/day-range.ts'
import type { FeedSyncKey } from './feed-sync.ts'

/** One sync of a link. */
export type Run = FeedSyncKey & { runId: string }

/** One sync of a bank account of the link. */
export type AccountRun = Run & {
  bankAccountId: string
  feedBankAccountId: string
  isManual: boolean
}

/** A bank account that a sync updates. */
export interface AccountToSync {
  bankAccountId: string
  feedBankAccountId: string
  /** Whether the sync reads all transactions, or only those of the last 90 days. */
  isWhole: boolean
}

/** A page of a sync: days of transactions to request from the provider and to store. */
export type Page = AccountRun & { range: DayRange; isFirst: boolean }

export type PageResult = Omit<Tally, 'removed'> & {
  /** Provider IDs in the ledger that the list does not contain, at most 200. */
  missing: string[]
  /** Number of transactions in the list. */
  rows: number
  /** Whether the answer exceeded a bound, so that no row was stored. */
  isTooLarge: boolean
}

/**
 * The end of the sync of a bank account. `too-large`: the provider has more transactions than a
 * sync reads; `endFeedAccount` stores this fault, other faults are stored by the step that failed.
 */
export type AccountEnding = 'complete' | 'failed' | 'too-large'

/** Steps of a sync: activities, each of which may be repeated. */
export interface FeedSyncSteps {
  /** Returns null if there is nothing to do. */
  beginFeedSync(run: Run): Promise<{ isManual: boolean } | null>
  /**
   * `leftOut`: number of bank accounts in use that are not in `accounts`; `today`: YYYY-MM-DD in
   * UTC.
   */
  syncFeedAccounts(
    run: Run & { isManual: boolean },
  ): Promise<Step<{ accounts: AccountToSync[]; leftOut: number; today: string }>>
  importFeedPage(page: Page): Promise<Step<PageResult>>
  removeMissing(of: AccountRun & { missing: string[] }): Promise<Step<{ removed: number }>>
  syncFeedBalance(of: AccountRun): Promise<Step<object>>
  endFeedAccount(of: AccountRun & { ending: AccountEnding; isWhole: boolean }): Promise<void>
  /** `unended`: bank accounts whose sync has begun but not ended. */
  endFeedSync(of: Run & { outcome: SyncOutcome; unended: string[] }): Promise<void>
  /** Whether an error means that a step failed after all its repetitions. */
  isStepFailure(error: unknown): boolean
}

/** State of a sync between two bank accounts, for continue-as-new. */
export interface Progress {
  run: Run & { isManual: boolean }
  today: string
  tally: Tally
  waits: number
  /** Bank accounts that are not synced yet. */
  accounts: AccountToSync[]
  leftOut: number
  /** Whether a bank account was synced completely, and whether one failed. */
  hasDone: boolean
  hasFailed: boolean
}

/** Continue-as-new: bounds the history of the workflow. A new run resumes the sync from `from`. */
export interface Continuation {
  /** Progress of the sync in the previous run; null for a new sync. */
  from: Progress | null
  /** Called before each bank account except the first; throws to end the run. */
  boundHistory: (progress: Progress) => Promise<void>
}

const wholeSync: Continuation = { from: null, boundHistory: async () => undefined }

const windowDays = 90
const rowsMax = 200_000
const pagesMax = 100
// A call of RemoveTransactions takes at most 500 IDs; the next sync removes further ones.
const missingMax = 500

/** State of a running sync; steps change its fields. */
interface Sync {
  steps: FeedSyncSteps
  pause: (ms: number) => Promise<void>
  run: Run & { isManual: boolean }
  today: string
  tally: Tally
  waits: number
  /** IDs of the bank accounts whose sync has begun but not ended. */
  unended: Set<string>
  boundHistory: Continuation['boundHistory']
}

type Ending = Settled<object> | { kind: 'too-large' }

/**
 * Runs the steps of one sync (docs/banks/feed.md#syncs). Calls `endFeedSync` exactly once if
 * `beginFeedSync` found work, and rethrows errors that are not failures of steps. `pause` sleeps.
 * With `from`, it continues with the bank accounts that are left.
 */
export async function runFeedSync(
  steps: FeedSyncSteps,
  run: Run,
  pause: (ms: number) => Promise<void>,
  { from, boundHistory }: Continuation = wholeSync,
): Promise<void> {
  const begun = from ? from.run : await steps.beginFeedSync(run)
  if (begun === null) return
  const { isManual } = begun
  const unended = new Set<string>()
  const begin = { run: { ...run, isManual }, today: '', tally: emptyTally(), waits: 0 }
  const sync: Sync = { ...begin, ...from, steps, pause, unended, boundHistory }
  const outcome = await outcomeOf(steps, () => syncLink(sync, from))
  await steps.endFeedSync({ ...run, outcome, unended: [...unended] })
}

/** Syncs the bank accounts of the link one after another. A failed one does not end the sync. */
async function syncLink(sync: Sync, from: Progress | null): Promise<SyncOutcome> {
  const listed = from
    ? { kind: 'done' as const, ...from }
    : await settle(sync, () => sync.steps.syncFeedAccounts(sync.run))
  if (listed.kind !== 'done') return listed
  sync.today = listed.today
  for (const { bankAccountId } of listed.accounts) sync.unended.add(bankAccountId)
  const { run, today, tally, leftOut } = { ...sync, leftOut: listed.leftOut }
  let { hasDone, hasFailed } = from ?? { hasDone: false, hasFailed: false }
  for (const [index, account] of listed.accounts.entries()) {
    const accounts = listed.accounts.slice(index)
    const { waits } = sync
    if (index > 0) {
      await sync.boundHistory({ run, today, tally, waits, accounts, leftOut, hasDone, hasFailed })
    }
    const ending = await syncAccount(sync, account)
    if (ending.kind === 'postponed') return ending
    await endAccount(sync, account, ending)
    hasDone ||= ending.kind === 'done'
    hasFailed ||= ending.kind === 'failed' || ending.kind === 'too-large'
  }
  if (hasDone) return { kind: 'complete', tally }
  if (hasFailed) return { kind: 'failed' }
  return leftOut > 0 ? { kind: 'unsynced' } : { kind: 'complete', tally }
}

async function endAccount(
  { steps, run, unended }: Sync,
  { isWhole, ...ids }: AccountToSync,
  { kind }: Exclude<Ending, { kind: 'postponed' }>,
): Promise<void> {
  if (kind !== 'gone') {
    const ending = kind === 'done' ? 'complete' : kind
    await steps.endFeedAccount({ ...run, ...ids, ending, isWhole })
  }
  unended.delete(ids.bankAccountId)
}

/** Imports the transactions of a bank account, removes missing ones, and sets its balances last. */
async function syncAccount(sync: Sync, { isWhole, ...ids }: AccountToSync): Promise<Ending> {
  const { steps } = sync
  const of = { ...sync.run, ...ids }
  const imported = await importPages(sync, of, isWhole)
  if (imported.kind !== 'done') return imported
  const missing = imported.missing.slice(0, missingMax)
  if (missing.length > 0) {
    const removal = await settle(sync, () => steps.removeMissing({ ...of, missing }))
    if (removal.kind !== 'done') return removal
    sync.tally.removed += removal.removed
  }
  return settle(sync, () => steps.syncFeedBalance(of))
}

/**
 * Imports the transactions of a bank account; a list that is too large is requested in two halves
 * of its days. Returns the provider IDs that the lists do not contain.
 */
async function importPages(
  sync: Sync,
  of: AccountRun,
  isWhole: boolean,
): Promise<Settled<{ missing: string[] }> | { kind: 'too-large' }> {
  const from = isWhole ? null : daysBefore(sync.today, windowDays)
  // A stack of ranges: `pop` takes the older half first.
  const ranges: DayRange[] = [{ from, to: null }]
  const missing: string[] = []
  let rows = 0
  for (let pages = 0; pages < pagesMax; pages += 1) {
    const range = ranges.pop()
    if (!range) return { kind: 'done', missing }
    const isFirst = pages === 0
    const page = await settle(sync, () => sync.steps.importFeedPage({ ...of, range, isFirst }))
    if (page.kind !== 'done') return page
    rows += page.rows
    if (rows > rowsMax) return { kind: 'too-large' }
    if (page.isTooLarge) {
      const halves = splitRange(range, sync.today)
      if (halves === null) return { kind: 'too-large' }
      ranges.push(...halves.reverse())
    } else {
      missing.push(...page.missing)
      countIn(sync.tally, page)
    }
  }
  return ranges.length === 0 ? { kind: 'done', missing } : { kind: 'too-large' }
}
