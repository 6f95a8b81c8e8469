// npm run bench:feed -- [transactions] [links]: measures syncs of feed links.
import { loadavg } from 'node:os'
import { join } from 'node:path'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { runScript } from '@coffer/local/script'
import { startLunchFlow } from '../../providers/lunch-flow.ts'
import { startMeasured } from '../server.ts'
import { createLinks, measureDueLinks } from './due-links.ts'
import { measureFirstSync } from './first-sync.ts'

const dataDir = join(root, '.coffer/bench')

await runScript(async () => {
  const [transactions = 20_000, links = 1_000] = process.argv.slice(2).map(Number)
  const log = createProgress()
  const say = (figures: object) =>
    log.say('bench', JSON.stringify({ ...figures, loads: loadavg().map(Math.round) }))
  await using provider = await startLunchFlow()
  await using measured = await startMeasured(dataDir, log, {
    COFFER_FEED_ALLOWED_URLS: provider.url,
  })
  const first = await measureFirstSync(measured, provider, transactions)
  say(first)
  await log.step('links', `creating ${links}`, () => createLinks(measured, provider, links))
  const due = await measureDueLinks(measured)
  say(due)
  const again = await measureDueLinks(measured)
  say(again)
  const isWritten = [first.writtenAgain, again.written].some((rows) => Object.keys(rows).length > 0)
  const isComplete =
    first.added === transactions && [due, again].every((one) => one.succeeded === one.links)
  return isComplete && !isWritten ? 0 : 1
})
