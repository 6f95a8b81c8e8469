import { z } from 'zod'

/** Smallest, median and largest over the passes; null where nothing was measured. */
const Triple = z.tuple([z.number(), z.number(), z.number()]).nullable()

const Check = z.object({
  expected: z.number(),
  availableMoved: z.number().optional(),
  allocatedMoved: z.number(),
})

/** The parts of the load generator's report that the page shows. */
export const Results = z.object({
  started: z.string(),
  node: z.string(),
  cpus: z.number(),
  cpuModel: z.string(),
  settings: z.object({
    SECS: z.number(),
    REPEATS: z.number(),
    TXNS: z.number(),
    SPENDING: z.number(),
  }),
  memory: z.object({
    idle: z.record(z.string(), z.object({ rssMiB: z.number() })).nullable(),
    end: z.record(z.string(), z.object({ rssMiB: z.number() })).nullable(),
  }),
  summary: z.record(
    z.string(),
    z.record(z.string(), z.object({ rps: Triple, p99ms: Triple, errors: z.number() })),
  ),
  runs: z.array(z.object({ name: z.string(), check: Check.optional() })),
})
export type Results = z.infer<typeof Results>

/** The other server's figures for one kind of work: requests per second, and p99 at c=16 in ms. */
export const Reference = z.object({
  work: z.string(),
  1: z.number().nullable(),
  16: z.number().nullable(),
  64: z.number().nullable(),
  p99: z.number().nullable(),
  note: z.string().optional(),
})
export type Reference = z.infer<typeof Reference>

const connections = ['1', '16', '64'] as const

/** Work of which every acknowledged request must show in the sums: what was lost, of how much. */
export function lostUpdates({ runs }: Results, name: string): number {
  return runs
    .filter((run) => run.name === name)
    .flatMap(({ check }) => (check === undefined ? [] : [check]))
    .reduce((lost, { expected, availableMoved, allocatedMoved }) => {
      const moved = availableMoved ?? expected
      return lost + Math.abs(expected - moved) + Math.abs(Math.abs(allocatedMoved) - expected)
    }, 0)
}

const figures = /(<!-- figures -->\n).*(\n<!-- end of figures -->)/s

/** The page with the figures between its marks replaced by those of a report. */
export function withFigures(
  page: string,
  results: Results,
  reference: Record<string, Reference>,
): string {
  const text = [...table(results, reference), '', ...conditions(results)].join('\n')
  return page.replace(figures, (_all, before, after) => `${before}\n${text}\n${after}`)
}

function table(results: Results, reference: Record<string, Reference>): string[] {
  const rows = Object.entries(results.summary).map(([name, byConnections]) => {
    const other = reference[name]
    const at = (count: string) => byConnections[count]
    const rates = connections.flatMap((count) => {
      const ours = at(count)?.rps?.[1] ?? null
      const theirs = other?.[Number(count) as 1 | 16 | 64] ?? null
      return [rate(ours), rate(theirs), factor(ours, theirs)]
    })
    const errors = Object.values(byConnections).reduce((sum, run) => sum + run.errors, 0)
    const p99 = [latency(at('16')?.p99ms?.[1] ?? null), latency(other?.p99 ?? null)]
    const notes = [
      errors > 0 ? `${errors} errors` : '',
      lostUpdates(results, name) > 0 ? `ours loses ${lostUpdates(results, name)}` : '',
      other?.note ? `reference: ${other.note}` : '',
    ]
    return [other?.work ?? name, ...rates, ...p99, notes.filter(Boolean).join('; ')]
  })
  return [
    `| work | ${connections.map((c) => `c=${c} | ref. | |`).join(' ')} p99 c=16 | ref. | |`,
    `|---|${'---:|---:|---:|'.repeat(connections.length)}---:|---:|---|`,
    ...rows.map((row) => `| ${row.join(' | ')} |`),
  ]
}

function conditions({ settings, memory, ...results }: Results): string[] {
  const passes = settings.REPEATS === 1 ? 'one pass' : `median of ${settings.REPEATS} passes`
  return [
    `- Measured on ${results.started.slice(0, 10)} with \`npm run bench\`: ` +
      `${passes} of ${settings.SECS} s each.`,
    `- ${results.cpus} CPUs (${results.cpuModel}), Node ${results.node}. The load generator, ` +
      'one process with all services and the gateway, Postgres, NATS and Temporal share the ' +
      'machine.',
    `- ${settings.TXNS.toLocaleString('en-US')} transactions and ${settings.SPENDING} envelopes ` +
      'on the account that is read. API key unless a session is named.',
    '- Postgres 18 with its defaults (fsync on). The reference figures were taken on the same kind',
    '  of machine with Postgres 15, each ±15 %.',
    `- Memory (resident): ${memoryText(memory.idle)} idle, ` +
      `${memoryText(memory.end)} after the load.`,
  ]
}

function memoryText(processes: Record<string, { rssMiB: number }> | null): string {
  const parts = Object.entries(processes ?? {}).map(
    ([name, { rssMiB }]) => `${name} ${Math.round(rssMiB)} MiB`,
  )
  return parts.length === 0 ? 'not measured' : parts.join(', ')
}

function rate(perSecond: number | null): string {
  return perSecond === null ? '–' : Math.round(perSecond).toLocaleString('en-US')
}

function latency(milliseconds: number | null): string {
  return milliseconds === null ? '–' : milliseconds.toLocaleString('en-US', digits(milliseconds))
}

function digits(value: number): Intl.NumberFormatOptions {
  return { maximumFractionDigits: value < 10 ? 1 : 0 }
}

function factor(ours: number | null, theirs: number | null): string {
  return ours === null || theirs === null ? '–' : `${(ours / theirs).toFixed(1)}×`
}
