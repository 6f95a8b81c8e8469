import { countIn, emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import { listKnown } from './account-import.service.ts'
import type { BegunRun, Pages } from './item-sync-run.ts'
import { importPage, type Position } from './page-import.service.ts'
import { type OpenedSync, runItemStep, type SyncDeps } from './sync-step.service.ts'
import { importWindow } from './window-import.service.ts'

/** Returns the idempotent activities that store transactions. */
export function pageActivities(deps: SyncDeps) {
  return {
    importPages: (run: BegunRun): Promise<Step<Pages>> =>
      runItemStep(deps, run, (opened) => importPages(deps, run, opened)),
    importWindow: (run: BegunRun): Promise<Step<Tally>> =>
      runItemStep(deps, run, (opened) => importWindow(deps, run, opened)),
  }
}

const pagesMax = 10

/** Imports at most ten pages, one after another. */
async function importPages(
  deps: SyncDeps,
  run: BegunRun,
  opened: OpenedSync,
): Promise<Step<Pages>> {
  const tally = emptyTally()
  let at: Position = { ...opened, known: await listKnown(deps, run) }
  for (let count = 0; count < pagesMax; count += 1) {
    const page = await importPage(deps, run, { at, isFirst: count === 0 })
    if (page.next === 'gone') return { kind: 'gone' }
    countIn(tally, page.tally)
    if (page.next !== 'page') return { kind: 'done', ...tally, next: page.next }
    at = page.at
  }
  return { kind: 'done', ...tally, next: 'more' }
}
