// npm run bench:flat -- [households]: measures a page, a balance and a write at 10,000 transactions
// and at 10,000,000, and writes the figures to docs/benchmarks.md.
import { readFileSync, rmSync, statfsSync, writeFileSync } from 'node:fs'
import { cpus, loadavg } from 'node:os'
import { join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import { aborted, runScript } from '@coffer/local/script'
import { measureYardstick } from '../host/yardstick.ts'
import { flatTable, withFlatFigures } from '../report/flat-report.ts'
import { type Measured, startMeasured } from '../server.ts'
import { databaseGib, insertCopies } from './copies.ts'
import { createPattern, householdAt } from './household.ts'
import { measureRequests, requestsEach } from './requests.ts'

const dataDir = join(root, '.coffer/bench-flat')
const page = join(root, 'docs/benchmarks.md')

/** Number of households in the figures of docs/benchmarks.md. */
const publishedHouseholds = 10_000
/**
 * The households of the small state, which all requests are for, and the transactions of each; in
 * the large state, the transactions of each of the others.
 */
const small = { households: 50, each: 200 }
const large = { each: 1_000 }
/** Time in ms before a measurement, in which Postgres and Coffer complete background work. */
const settleMs = 25_000
const msMax = 20 * 60_000
/** Disk space of a household with its share of the write-ahead log. */
const mibEach = 1.5

await runScript(async (stop) => {
  const households = Number(process.argv[2] ?? publishedHouseholds)
  if (!(households > small.households)) {
    throw new FatalError(`${process.argv[2]}: use a number above ${small.households}.`)
  }
  requireSpace(households * mibEach)
  const log = createProgress()
  const ended = AbortSignal.any([stop, AbortSignal.timeout(msMax)])
  try {
    await using measured = await startMeasured(dataDir, log)
    const measuring = measureSizes(measured, { households, log })
    const text = await Promise.race([measured.coffer.running, aborted(ended), measuring])
    if (!text) {
      log.say('bench', `stopped: ${ended.reason}`)
      return 1
    }
    console.log([...text.table, '', ...text.conditions].join('\n'))
    if (households !== publishedHouseholds) {
      log.say('bench', `${page} is not updated: it shows ${publishedHouseholds} households`)
      return 0
    }
    writeFileSync(page, withFlatFigures(readFileSync(page, 'utf8'), text))
    await run('biome', ['format', '--write', page], { cwd: root, env: process.env })
    log.say('bench', `${page} is updated`)
    return 0
  } finally {
    rmSync(dataDir, { recursive: true, force: true })
  }
})

function requireSpace(mib: number): void {
  const { bavail, bsize } = statfsSync(root)
  const free = Math.round((bavail * bsize) / 2 ** 20)
  if (free < mib) throw new FatalError(`${root} has ${free} MiB free: at least ${mib} are needed.`)
}

/** Measures both states. Returns the table, and the conditions as items of a Markdown list. */
async function measureSizes(
  { baseUrl, stack }: Measured,
  { households, log }: { households: number; log: ReturnType<typeof createProgress> },
): Promise<{ table: string[]; conditions: string[] }> {
  const { databaseUrl } = stack
  const pattern = await createPattern(baseUrl, small.each)
  const asked = Array.from({ length: small.households }, (_, index) => householdAt(pattern, index))
  const speeds: string[] = []
  const measure = async (transactions: number) => {
    await sleep(settleMs)
    const yardstick = await measureYardstick(databaseUrl)
    speeds.push(Math.round(yardstick[1]).toLocaleString('en-US'))
    const servers = { baseUrl, postgres: stack.pids.postgres }
    return measureRequests(servers, { households: asked, transactions })
  }
  await log.step('small', `writing ${small.households} households`, () =>
    insertCopies(databaseUrl, { accountId: pattern.accountId, count: small.households - 1 }),
  )
  const before = await measure(small.households * small.each)
  const other = await createPattern(baseUrl, large.each)
  const others = households - small.households
  await log.step('large', `writing ${others} more households`, () =>
    insertCopies(databaseUrl, { accountId: other.accountId, count: others - 1 }),
  )
  const after = await measure(small.households * small.each + others * large.each)
  const gib = (await databaseGib(databaseUrl)).toFixed(1)
  const loads = loadavg().map((load) => load.toFixed(1))
  return {
    table: flatTable([...before, ...after]),
    conditions: [
      `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench:flat\`: ` +
        `${requestsEach.toLocaleString('en-US')} requests of each kind, one after the other over ` +
        'one connection, in four rounds. Each request is for another household than the one ' +
        'before. CPU: processor time of Postgres per request, in ms.',
      'Yardstick, selects by key through bare `pg` one after the other, which shows the speed of ' +
        `the machine: ${speeds.join('/s before the small state, ')}/s before the large one.`,
      `${cpus().length} CPUs (${cpus()[0]?.model}), load averages at the end ` +
        `${loads.join(', ')}; the database has ${gib} GiB at the end, and Postgres its default ` +
        'settings.',
    ],
  }
}
