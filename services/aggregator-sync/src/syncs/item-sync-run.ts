import { countIn, emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import { outcomeOf, type Step, settle } from '@coffer/sync-kit/syncs/sync-run'
import type { LinkKey } from '../connections/aggregator-link.ts'
import type { Begun, ItemOutcome } from './item-sync.ts'

/** One sync of a link. */
export type Run = LinkKey & { runId: string }
export type BegunRun = Run & { isManual: boolean }

/**
 * until 0.4: an activity of 0.2.0 returns no `hasWindow`, and reads the window in requested syncs.
 */
type OfAnyVersion = Omit<Begun, 'hasWindow'> & Partial<Begun>

/** The result of some pages of changes. */
export type Pages = Tally & {
  /**
   * `more`: further pages follow; `restarted`: the loop (loop.ts) begins again; `end`: all changes
   * are stored; `initial`: stored as far as the aggregator has the history; `not-ready`: it has no
   * transactions yet.
   */
  next: 'more' | 'restarted' | 'end' | 'initial' | 'not-ready'
}

/** Steps of a sync: activities, each of which may be repeated. */
export interface ItemSyncSteps {
  /** Returns null if there is nothing to do. */
  beginAggregatorSync(run: Run): Promise<OfAnyVersion | null>
  /** Updates the status of the link, its bank accounts and their balances. */
  syncItem(run: BegunRun): Promise<Step<object>>
  /** Stores at most ten pages of changes. */
  importPages(run: BegunRun): Promise<Step<Pages>>
  /** Stores the transactions of the last 14 days. */
  importWindow(run: BegunRun): Promise<Step<Tally>>
  endAggregatorSync(of: Run & { outcome: ItemOutcome }): Promise<void>
  /** Whether an error means that a step failed after all its repetitions. */
  isStepFailure(error: unknown): boolean
}

// 2,000 pages: a million changes.
const stepsMax = 200
const restartsMax = 5

/** State of a running sync; steps change its fields. */
interface Sync {
  steps: ItemSyncSteps
  pause: (ms: number) => Promise<void>
  run: BegunRun
  hasWindow: boolean
  tally: Tally
  waits: number
}

/**
 * Runs the steps of one sync (docs/banks/aggregator.md#syncs). Calls `endAggregatorSync` exactly
 * once if `beginAggregatorSync` found work, and rethrows errors that are not failures of steps.
 * `pause` sleeps.
 */
export async function runItemSync(
  steps: ItemSyncSteps,
  run: Run,
  pause: (ms: number) => Promise<void>,
): Promise<void> {
  const begun = await steps.beginAggregatorSync(run)
  if (begun === null) return
  const tally = emptyTally()
  const { isManual, hasWindow = isManual } = begun
  const sync = { steps, pause, run: { ...run, isManual }, hasWindow, tally, waits: 0 }
  const outcome = await outcomeOf(steps, () => syncLink(sync))
  await steps.endAggregatorSync({ ...run, outcome })
}

async function syncLink(sync: Sync): Promise<ItemOutcome> {
  const { steps, run, hasWindow, tally } = sync
  const item = await settle(sync, () => steps.syncItem(run))
  if (item.kind !== 'done') return item
  const changes = await importChanges(sync)
  if (changes.kind !== 'complete' && changes.kind !== 'partial') return changes
  if (hasWindow) {
    const window = await settle(sync, () => steps.importWindow(run))
    if (window.kind !== 'done') return window
    // The window repeats rows of the pages, so its skipped rows are not counted again.
    countIn(tally, { ...window, skipped: 0 })
  }
  return changes
}

/** Imports pages of changes up to the last one. */
async function importChanges(sync: Sync): Promise<ItemOutcome> {
  const { steps, run, tally } = sync
  let restarts = 0
  for (let step = 0; step < stepsMax; step += 1) {
    const pages = await settle(sync, () => steps.importPages(run))
    if (pages.kind !== 'done') return pages
    countIn(tally, pages)
    if (pages.next === 'end') return { kind: 'complete', tally }
    if (pages.next === 'initial') return { kind: 'partial', tally }
    if (pages.next === 'not-ready') return { kind: 'early', code: 'not-ready' }
    if (pages.next === 'restarted') {
      restarts += 1
      // The restarted loop reads the skipped rows again, and counts them anew.
      tally.skipped = 0
    }
    if (restarts > restartsMax) return { kind: 'early', code: 'mutated' }
  }
  // After the maximum number of steps, the next sync continues at the stored cursor.
  return { kind: 'unfinished' }
}
