import { z } from 'zod'
import { type Reading, stolenBetween } from '../host/steal.ts'
import { faster, Yardstick } from '../host/yardstick.ts'

const Check = z.object({
  expected: z.number(),
  availableMoved: z.number().optional(),
  allocatedMoved: z.number(),
})

/** Latencies (ms) of one of the requests that make up a visit. */
const Step = z.object({ mean: z.number(), p99: z.number() })

const Memory = z.record(z.string(), z.object({ rssMiB: z.number() })).nullable()

/**
 * One pass of a kind of work over `conc` connections. `p99` is in ms, `wallS` in s; `cores` are the
 * busy cores by name of the process.
 */
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
  /** Latencies by label of the request, if the work is a visit of several requests. */
  steps: z.record(z.string(), Step).optional(),
  /**
   * Share of the processor time that the host took, 0 to 1; null if unknown. `withSteal` adds it.
   */
  stolen: z.number().nullable().default(null),
})
export type Run = z.infer<typeof Run>

/** The fields of the load generator's report that docs/benchmarks/benchmarks.md shows. */
export const Results = z.object({
  started: z.string(),
  node: z.string(),
  cpus: z.number(),
  cpuModel: z.string(),
  settings: z.object({ SECS: z.number(), TXNS: z.number(), SPENDING: z.number() }),
  memory: z.object({ idle: Memory, end: Memory }),
  runs: z.array(Run),
  /** Speed of the machine without Coffer; null if it was not measured. */
  yardstick: Yardstick.nullable().default(null),
})
export type Results = z.infer<typeof Results>

/** Names of the measured processes, as in the load generator's setting `PROCS`. */
const measuredProcesses = ['coffer', 'postgres', 'nats', 'temporal'] as const

/** Returns the processor time (ms) per request, by process and in total; null if unmeasured. */
export function costOf({ cores, rps }: Run): { each: number[]; total: number } | null {
  if (!rps || cores === undefined) return null
  const each = measuredProcesses.flatMap((name) => {
    const time = cores[name]
    return time === undefined ? [] : [(time * 1000) / rps]
  })
  return { each, total: each.reduce((sum, time) => sum + time, 0) }
}

/** The fields that identify a run within a report. */
type RunKey = Pick<Run, 'pass' | 'name' | 'conc'>

export function keyOf({ pass, name, conc }: RunKey): string {
  return `${pass} ${name} ${conc}`
}

/** Returns the key of the run that ended, if this output line reports the end of one; else null. */
export function endedRun(line: string): string | null {
  const [all, pass, name = '', conc] = / pass (\d+) (\S+) +c=(\d+) /.exec(line) ?? []
  return all === undefined ? null : keyOf({ pass: Number(pass), name, conc: Number(conc) })
}

/**
 * Adds the stolen share of processor time to each run of a report. `ended` has the end of each run
 * in ms, by its key.
 */
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

/** Merges a report with a later one of the same Coffer process. */
export function merged(first: Results, later: Results): Results {
  const memory = { idle: first.memory.idle, end: later.memory.end }
  const yardstick = faster(first.yardstick, later.yardstick)
  return { ...first, memory, yardstick, runs: [...first.runs, ...later.runs] }
}

/** Counts lost updates: changes that the server acknowledged, and that the balances lack. */
export function lostUpdates(runs: readonly Run[]): number {
  return runs
    .flatMap(({ check }) => (check === undefined ? [] : [check]))
    .reduce((lost, { expected, availableMoved, allocatedMoved }) => {
      const moved = availableMoved ?? expected
      return lost + Math.abs(expected - moved) + Math.abs(Math.abs(allocatedMoved) - expected)
    }, 0)
}
