// npm run bench: runs the load generator against a new Coffer process, and writes the figures to
// docs/benchmarks/benchmarks.md.
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { FatalError } from '@coffer/local/bootstrap/fatal-error.mjs'
import { root } from '@coffer/local/bootstrap/paths.mjs'
import { createProgress } from '@coffer/local/bootstrap/progress.mjs'
import { run } from '@coffer/local/bootstrap/run.mjs'
import { aborted, runScript } from '@coffer/local/script'
import { z } from 'zod'
import { measureLoad } from './generator.ts'
import { faster, measureYardstick } from './host/yardstick.ts'
import { measureOwn } from './own.ts'
import { disturbedWork } from './report/best-runs.ts'
import {
  HouseholdReference,
  householdWork,
  withHouseholdFigures,
} from './report/household-report.ts'
import { withOwnFigures } from './report/own-report.ts'
import { Reference, withFigures } from './report/report.ts'
import { merged, type Results } from './report/results.ts'
import { startMeasured } from './server.ts'

const dataDir = join(root, '.coffer/bench')
const output = join(dataDir, 'results.json')
const page = join(root, 'docs/benchmarks/benchmarks.md')

/**
 * The two generated parts of docs/benchmarks/benchmarks.md, without figures. A run of selected work
 * (`ONLY`) prints them with its figures, and does not change the page.
 */
const sections = [
  '<!-- household figures -->\n\n<!-- end of household figures -->',
  '<!-- figures -->\n\n<!-- end of figures -->',
].join('\n')

/**
 * All kinds of work that use a single household, in the form of the load generator's setting
 * `ONLY`.
 */
const linesOnly =
  'health,links*,balances*,tx_offset*,spending_list,forecast,post_tx*,transfer*,' +
  'patch_spending,feed_links'

/** Default settings of the load generator, which environment variables override. */
const defaults = {
  PAUSE_S: '2',
  // Longest wait for an idle machine before each run, in seconds.
  QUIET_MAX_S: '3',
}
const householdDefaults = {
  HOUSEHOLDS: '48',
  TXNS: '200',
  SPENDING: '10',
  TENANTS: '0',
  CONC: '1,16',
  SECS: '5',
  REPEATS: '3',
}
const lineDefaults = { SECS: '2', REPEATS: '2' }
/**
 * Settings that no environment variable overrides. `lines` creates no households besides the one
 * that its work uses.
 */
const fixed = { households: {}, lines: { HOUSEHOLDS: '0' } }

/** Maximum of repetitions of work during which the host took processor time (`FURTHER_ROUNDS`). */
const Rounds = z.coerce.number().int().min(0).max(10).default(1)

/** Time in ms from the start after which nothing is repeated, so the run ends within 15 minutes. */
const furtherMsMax = 8 * 60_000

const references = z.object({
  households: z.record(z.string(), HouseholdReference),
  lines: z.record(z.string(), Reference),
})

type Log = ReturnType<typeof createProgress>

await runScript(async (stop) => {
  const stated = process.env.COFFER_LOAD_GENERATOR
  if (!stated) throw new FatalError('Set COFFER_LOAD_GENERATOR to the path of a load generator.')
  const generator = resolve(stated)
  if (!existsSync(generator)) throw new FatalError(`COFFER_LOAD_GENERATOR: no file ${generator}.`)
  const rounds = Rounds.parse(process.env.FURTHER_ROUNDS)
  const selected = selectedWork(process.env.ONLY)
  const log = createProgress()
  await using measured = await startMeasured(dataDir, log)
  const { baseUrl, stack, coffer } = measured
  const measureWith = (settings: Record<string, string>, always: object): Measure => {
    return async (narrowed) => {
      const env = {
        ...defaults,
        ...settings,
        ...process.env,
        ...always,
        ...narrowed,
        BASE_URL: baseUrl,
        PROCS: processes({ coffer: coffer.pid, ...stack.pids }),
      }
      const before = await measureYardstick(stack.databaseUrl)
      const load = measureLoad({ generator, env, output, stop })
      const results = await Promise.race([coffer.running, load])
      if (results === null) return null
      const yardstick = faster(before, await measureYardstick(stack.databaseUrl))
      return { ...results, yardstick }
    }
  }
  const figures: Figures = { households: null, lines: null }
  for (const [part, settings] of [
    ['households', householdDefaults],
    ['lines', lineDefaults],
  ] as const) {
    const ONLY = selected[part]
    if (ONLY === '') continue
    const measure = measureWith(settings, fixed[part])
    figures[part] = await measureUntilCalm(measure, { ONLY, rounds, log })
    if (figures[part] === null) return 1
  }
  writeFileSync(output, JSON.stringify(figures, null, 1))
  if (process.env.ONLY) {
    console.log(renewed(sections, figures))
    log.say('bench', `${page} is not updated, because ONLY selects a part`)
    return 0
  }
  const own = await log.step('own', 'measuring on a million transactions', () =>
    Promise.race([coffer.running, aborted(stop), measureOwn(measured)]),
  )
  if (!own) return 1
  writeFileSync(page, withOwnFigures(renewed(readFileSync(page, 'utf8'), figures), own))
  await run('biome', ['format', '--write', page], { cwd: root, env: process.env })
  log.say('bench', `${page} is updated`)
  return 0
})

type Figures = { households: Results | null; lines: Results | null }

/** Returns the names of the work for each generated part of the page; '' if none is selected. */
function selectedWork(only: string | undefined): Record<keyof Figures, string> {
  const ofHouseholds = Object.keys(householdWork)
  if (!only) return { households: ofHouseholds.join(','), lines: linesOnly }
  const names = only.split(',')
  const [households, lines] = [true, false].map((isOfHouseholds) =>
    names.filter((name) => ofHouseholds.includes(name) === isOfHouseholds).join(','),
  )
  return { households: households ?? '', lines: lines ?? '' }
}

function processes(pids: Record<string, number | null | undefined>): string {
  const known = Object.entries(pids).filter(([, pid]) => typeof pid === 'number')
  return known.map(([name, pid]) => `${name}=${pid}`).join(',')
}

/** Runs the load generator on the selected work. Returns its report, null if it fails. */
type Measure = (selected: { ONLY: string; CONC?: string }) => Promise<Results | null>

/**
 * Measures the work. Then measures again the part during which the host took processor time, at
 * most `rounds` times. Returns null on failure.
 */
async function measureUntilCalm(
  measure: Measure,
  { ONLY, rounds, log }: { ONLY: string; rounds: number; log: Log },
): Promise<Results | null> {
  let results = await measure({ ONLY })
  for (let round = 0; results !== null && round < rounds; round += 1) {
    const disturbed = disturbedWork(results.runs)
    if (disturbed === null || performance.now() > furtherMsMax) break
    const names = disturbed.names.join(',')
    log.say('bench', `repeating work that the host disturbed: ${names}`)
    const later = await measure({ ONLY: names, CONC: disturbed.connections.join(',') })
    results = later && merged(results, later)
  }
  return results
}

/** Returns the page (`text`) with the new figures in its two generated parts. */
function renewed(text: string, { households, lines }: Figures): string {
  const file = join(import.meta.dirname, 'reference.json')
  const reference = references.parse(JSON.parse(readFileSync(file, 'utf8')))
  const first = households ? withHouseholdFigures(text, households, reference.households) : text
  return lines ? withFigures(first, lines, reference.lines) : first
}
