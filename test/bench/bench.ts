// npm run bench: a fresh single process under the load generator; renews docs/benchmarks.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import { aborted, runScript } from '@coffer/local/script'
import { z } from 'zod'
import { disturbedWork } from './best-runs.ts'
import { measureLoad } from './generator.ts'
import { measureOwn } from './own.ts'
import { type OwnFigure, withOwnFigures } from './own-report.ts'
import { Reference, withFigures } from './report.ts'
import { merged, type Results } from './results.ts'
import { startMeasured } from './server.ts'
import { faster, measureYardstick } from './yardstick.ts'

const dataDir = join(root, '.coffer/bench')
const output = join(dataDir, 'results.json')
const page = join(root, 'docs/benchmarks.md')

/** What the environment may set otherwise, for the load generator. */
const defaults = {
  /** All that it measures, in its order. */
  ONLY:
    'health,links*,balances*,tx_offset*,spending_list,forecast,post_tx*,transfer*,' +
    'patch_spending,feed_links',
  SECS: '3',
  REPEATS: '5',
  PAUSE_S: '2',
  // Waits a little before each run for a machine on which nothing else runs.
  QUIET_MAX_S: '10',
}

/** How often at most the figures that the host has spoilt are measured again. */
const Rounds = z.coerce.number().int().min(0).max(10).default(2)

await runScript(async (stop) => {
  const generator = resolve(
    process.env.COFFER_LOAD_GENERATOR ?? join(root, '../shared/bench/load.mjs'),
  )
  if (!existsSync(generator)) {
    throw new FatalError(`No ${generator}: set COFFER_LOAD_GENERATOR to the load generator.`)
  }
  const rounds = Rounds.parse(process.env.FURTHER_ROUNDS)
  const log = createProgress()
  await using measured = await startMeasured(dataDir, log)
  const { baseUrl, stack, coffer } = measured
  const measure: Measure = async (selected) => {
    const env = {
      ...{ ...defaults, ...process.env, ...selected, BASE_URL: baseUrl },
      PROCS: `coffer=${coffer.pid},postgres=${stack.postgresPid}`,
    }
    const before = await measureYardstick(stack.databaseUrl)
    const load = measureLoad({ generator, env, output, stop })
    const results = await Promise.race([coffer.running, load])
    if (results === null) return null
    const yardstick = faster(before, await measureYardstick(stack.databaseUrl))
    return { ...results, yardstick }
  }
  const results = await measureUntilCalm(measure, { rounds, log })
  if (results === null) {
    return 1
  }
  writeFileSync(output, JSON.stringify(results, null, 1))
  const own = await log.step('own', 'measuring on a million transactions', () =>
    Promise.race([coffer.running, aborted(stop), measureOwn(measured)]),
  )
  if (!own) {
    return 1
  }
  await renewPage(results, own)
  log.say('bench', `${page} is renewed`)
  return 0
})

/** Runs the load generator on all, or on what is selected; null where that fails. */
type Measure = (selected: { ONLY?: string; CONC?: string }) => Promise<Results | null>

/** Measures all, and what the host took too much of so many times more at most. */
async function measureUntilCalm(
  measure: Measure,
  { rounds, log }: { rounds: number; log: ReturnType<typeof createProgress> },
): Promise<Results | null> {
  let results = await measure({})
  for (let round = 0; results !== null && round < rounds; round += 1) {
    const disturbed = disturbedWork(results.runs)
    if (disturbed === null) break
    const ONLY = disturbed.names.join(',')
    log.say('bench', `once more, as the host took too much: ${ONLY}`)
    const later = await measure({ ONLY, CONC: disturbed.connections.join(',') })
    results = later && merged(results, later)
  }
  return results
}

async function renewPage(results: Results, own: OwnFigure[]): Promise<void> {
  const file = join(import.meta.dirname, 'reference.json')
  const reference = z.record(z.string(), Reference).parse(JSON.parse(readFileSync(file, 'utf8')))
  const renewed = withFigures(readFileSync(page, 'utf8'), results, reference)
  writeFileSync(page, withOwnFigures(renewed, own))
  await run('biome', ['format', '--write', page], { cwd: root, env: process.env })
}
