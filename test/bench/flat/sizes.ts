// npm run bench:flat -- [households]: measures a page, a balance and a write at 10,000 transactions
// and at 10,000,000, and writes the figures to docs/benchmarks/benchmarks.md.
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
import { measureRequests, requestsEach, type State } from './requests.ts'

const dataDir = join(root, '.coffer/bench-flat')
const page = join(root, 'docs/benchmarks/benchmarks.md')

/** Number of households in the figures of docs/benchmarks/benchmarks.md. */
const publishedHouseholds = 10_000
/**
 * The households of the small state, which all requests are for, and the transactions of each; in
 * the large state, the transactions of each of the others.
 */
const small = { households: 50, each: 200 }
const large = { each: 1_000 }
/** Time in ms before the measurement, in which Postgres and Coffer complete background work. */
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
    await using starting = new AsyncDisposableStack()
    const servers: Servers = {
      small: starting.use(await startMeasured(join(dataDir, 'small'), log)),
      large: starting.use(await startMeasured(join(dataDir, 'large'), log)),
    }
    const running = Object.values(servers).map(({ coffer }) => coffer.running)
    const measuring = measureSizes(servers, { households, log })
    const text = await Promise.race([...running, aborted(ended), measuring])
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

/** The servers of both states, each with its own Postgres. */
type Servers = { small: Measured; large: Measured }

/** Measures both states. Returns the table, and the conditions as items of a Markdown list. */
async function measureSizes(
  servers: Servers,
  { households, log }: { households: number; log: ReturnType<typeof createProgress> },
): Promise<{ table: string[]; conditions: string[] }> {
  const others = households - small.households
  const before = await fillWithAsked(servers.small, log)
  const asked = await fillWithAsked(servers.large, log)
  const { databaseUrl } = servers.large.stack
  const other = await createPattern(servers.large.baseUrl, large.each)
  await log.step('large', `writing ${others} more households`, () =>
    insertCopies(databaseUrl, { accountId: other.accountId, count: others - 1 }),
  )
  await sleep(settleMs)
  const after = { ...asked, transactions: asked.transactions + others * large.each }
  const yardstick = await measureYardstick(databaseUrl)
  const figures = await measureRequests([before, after])
  const gib = (await databaseGib(databaseUrl)).toFixed(1)
  const loads = loadavg().map((load) => load.toFixed(1))
  return {
    table: flatTable(figures),
    conditions: [
      `Measured on ${new Date().toISOString().slice(0, 10)} with \`npm run bench:flat\`: ` +
        `${requestsEach.toLocaleString('en-US')} requests of each kind to each state, one after ` +
        'the other over one connection. The states alternate: 50 requests to the small one, ' +
        'then as many to the large one. CPU: processor time of Postgres per request, in ms.',
      'Yardstick, selects by key through bare `pg` one after the other, which shows the speed of ' +
        `the machine: ${Math.round(yardstick[1]).toLocaleString('en-US')}/s.`,
      `${cpus().length} CPUs (${cpus()[0]?.model}), load averages at the end ` +
        `${loads.join(', ')}; the large database has ${gib} GiB at the end, and Postgres its ` +
        'default settings.',
    ],
  }
}

/** Creates the households that the requests are for; returns their state. */
async function fillWithAsked(
  { baseUrl, stack }: Measured,
  log: ReturnType<typeof createProgress>,
): Promise<State> {
  const pattern = await createPattern(baseUrl, small.each)
  await log.step('households', `writing ${small.households} that requests are for`, () =>
    insertCopies(stack.databaseUrl, {
      accountId: pattern.accountId,
      count: small.households - 1,
    }),
  )
  return {
    baseUrl,
    postgres: stack.pids.postgres,
    households: Array.from({ length: small.households }, (_, index) => householdAt(pattern, index)),
    transactions: small.households * small.each,
  }
}
