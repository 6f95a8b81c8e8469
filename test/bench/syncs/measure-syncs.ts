import { loadavg } from 'node:os'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runMeasured } from '../server.ts'
import { createLinks, measureDueLinks } from './due-links.ts'
import { measureFirstSync } from './first-sync.ts'
import type { SyncedProvider } from './synced-provider.ts'

const dataDir = join(root, '.coffer/bench')

/**
 * Measures the first sync of one link and a second without news, then syncs of links that are due
 * at once: first syncs, and again with nothing new. Prints the figures; returns the exit code.
 */
export async function measureSyncs(stop: AbortSignal, provider: SyncedProvider): Promise<number> {
  const [transactions = 20_000, links = 1_000] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const say = (figures: object) =>
    log.say('bench', JSON.stringify({ ...figures, loads: loadavg().map(Math.round) }))
  return runMeasured({ dataDir, log, stop, settings: provider.settings }, async (measured) => {
    const first = await measureFirstSync(measured, provider, transactions)
    say(first)
    await log.step('links', `creating ${links}`, () => createLinks(measured, provider, links))
    const due = await measureDueLinks(measured, provider)
    say(due)
    const again = await measureDueLinks(measured, provider)
    say(again)
    const writes = [first.writtenAgain, again.written]
    const isWritten = writes.some((rows) => Object.keys(rows).length > 0)
    const isComplete =
      first.added === transactions && [due, again].every((one) => one.succeeded === one.links)
    return isComplete && !isWritten ? 0 : 1
  })
}
