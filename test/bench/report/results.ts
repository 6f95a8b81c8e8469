import { z } from 'zod'
import { type Reading, stolenBetween } from '../host/steal.ts'
import { faster, Yardstick } from '../host/yardstick.ts'

const Check = z.object({
  expected: z.number(),
  availableMoved: z.number().optional(),
  allocatedMoved: z.number(),
})

/** The latencies (ms) of one step of a visit. */
const Step = z.object({ mean: z.number(), p99: z.number() })

const Memory = z.record(z.string(), z.object({ rssMiB: z.number() })).nullable()

/** One kind of work in a pass over `conc` connections; times in ms, `cores` in s a second. */
const Run = z.object({
  pass: z.number(),
  name: z.string(),
  conc: z.number(),
  wallS: z.number(),
  rps: z.number(),
  p99: z.number().nullable(),
  errors: z.number(),
  non2xx: z.number(),
  cores: z.record(z.string(), z.number()).optional(),
  check: Check.optional(),
  /** By the step's label, for work that has several. */
  steps: z.record(z.string(), Step).optional(),
  /** The share of the processor time that the host took meanwhile, which is not the generator's. */
  stolen: z.number().nullable().default(null),
})
export type Run = z.infer<typeof Run>

/** The parts of the load generator's report that the page shows. */
export const Results = z.object({
  started: z.string(),
  node: z.string(),
  cpus: z.number(),
  cpuModel: z.string(),
  settings: z.object({ SECS: z.number(), TXNS: z.number(), SPENDING: z.number() }),
  memory: z.object({ idle: Memory, end: Memory }),
  runs: z.array(Run),
  /** How fast the machine was; null where it was not measured. */
  yardstick: Yardstick.nullable().default(null),
})
export type Results = z.infer<typeof Results>

/** The processes that are measured, by the names that the load generator is told. */
const measuredProcesses = ['coffer', 'postgres', 'nats', 'temporal'] as const

/** Processor time (ms) of a request in each process and in all; null where it was not measured. */
export function costOf({ cores, rps }: Run): { each: number[]; total: number } | null {
  if (!rps || cores === undefined) return null
  const each = measuredProcesses.flatMap((name) => {
    const time = cores[name]
    return time === undefined ? [] : [(time * 1000) / rps]
  })
  return { each, total: each.reduce((sum, time) => sum + time, 0) }
}

/** What a run is told apart by from all others of a report. */
type RunKey = Pick<Run, 'pass' | 'name' | 'conc'>

/** The text that names a run. */
export function keyOf({ pass, name, conc }: RunKey): string {
  return `${pass} ${name} ${conc}`
}

/** The key of the run that a line of the load generator says has just ended; null for others. */
export function endedRun(line: string): string | null {
  const [all, pass, name = '', conc] = / pass (\d+) (\S+) +c=(\d+) /.exec(line) ?? []
  return all === undefined ? null : keyOf({ pass: Number(pass), name, conc: Number(conc) })
}

/** The report with what the host took of each run, of which `ended` says when (ms) it was over. */
export function withSteal(
  results: Results,
  { ended, readings }: { ended: ReadonlyMap<string, number>; readings: readonly Reading[] },
): Results {
  const runs = results.runs.map((run) => {
    const toMs = ended.get(keyOf(run))
    if (toMs === undefined) return run
    const fromMs = toMs - run.wallS * 1000
    return { ...run, stolen: stolenBetween(readings, { fromMs, toMs }) }
  })
  return { ...results, runs }
}

/** A report and a later one of the same server. */
export function merged(first: Results, later: Results): Results {
  const memory = { idle: first.memory.idle, end: later.memory.end }
  const yardstick = faster(first.yardstick, later.yardstick)
  return { ...first, memory, yardstick, runs: [...first.runs, ...later.runs] }
}

/** Work of which every acknowledged request must show in the sums: what was lost in all passes. */
export function lostUpdates(runs: readonly Run[]): number {
  return runs
    .flatMap(({ check }) => (check === undefined ? [] : [check]))
    .reduce((lost, { expected, availableMoved, allocatedMoved }) => {
      const moved = availableMoved ?? expected
      return lost + Math.abs(expected - moved) + Math.abs(Math.abs(allocatedMoved) - expected)
    }, 0)
}
