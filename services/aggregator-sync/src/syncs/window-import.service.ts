import { countIn, emptyTally, type Tally } from '@coffer/sync-kit/ledger/tally'
import { dayAfter } from '@coffer/sync-kit/provider/row-values'
import type { Step } from '@coffer/sync-kit/syncs/sync-run'
import type { WindowPage } from '../provider/aggregator.ts'
import { faultOf } from '../provider/plaid-fault.ts'
import { importRows, listKnown } from './account-import.service.ts'
import { changeRunning } from './item-sync.sql.ts'
import { endWindow, type ItemSync } from './item-sync.ts'
import type { BegunRun } from './item-sync-run.ts'
import { callBy, type OpenedSync, type SyncDeps } from './sync-step.service.ts'

const windowDays = 14
const windowPagesMax = 20

/**
 * Imports the transactions of the last 14 days again, to repair omissions of earlier syncs. If an
 * added transaction is removed before the next loop (loop.ts), no loop lists this removal:
 * therefore a whole loop is requested before the imports. The request is withdrawn if the imports
 * add nothing.
 */
export async function importWindow(
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
  const tally = await importDays(deps, run, opened)
  const isRepaired = tally.added + tally.matched > 0
  await change((sync) => {
    const isOwn = sync.wholeRequestedAt?.getTime() === requestedAt.getTime()
    return endWindow(!isRepaired && isOwn ? { ...sync, wholeRequestedAt: null } : sync)
  })
  return { kind: 'done', ...tally }
}

/** Imports the pages of the last 14 days. */
async function importDays(
  deps: SyncDeps,
  run: BegunRun,
  { item, aggregator }: OpenedSync,
): Promise<Tally> {
  const { accounts } = await listKnown(deps, run)
  const tally = emptyTally()
  const dayOf = (days: number) => dayAfter(deps.clock(), days)
  // A day more on both sides, because days are in the timezone of the institution.
  const window = { from: dayOf(-windowDays - 1), to: dayOf(1) }
  let offset = 0
  for (let pages = 0; pages < windowPagesMax; pages += 1) {
    const read = await readWindow(aggregator.readWindow(item, { ...window, offset }, callBy()))
    if (!read) break
    const { transactions, unreadable, total } = read
    const page = { added: transactions, modified: [], unreadable }
    countIn(tally, await importRows(deps, run, { page, accounts }))
    const rows = transactions.length + unreadable
    offset += rows
    if (rows === 0 || offset >= total) break
  }
  return tally
}

/** Returns null if the institution has no transactions, or the aggregator has not read them yet. */
async function readWindow(answer: Promise<WindowPage>): Promise<WindowPage | null> {
  try {
    return await answer
  } catch (error) {
    const { code } = faultOf(error) ?? {}
    if (code === 'not-ready' || code === 'no-transactions') return null
    throw error
  }
}
