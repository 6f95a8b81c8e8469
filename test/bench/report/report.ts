import { z } from 'zod'
import { marked } from '../host/steal.ts'
import { bestRuns } from './best-runs.ts'
import { factor, latency, listLines, measuredText, processorTime, rate } from './figure-text.ts'
import { lostUpdates, type Results, type Run } from './results.ts'

/**
 * Reference figures of a kind of work: requests per second by number of connections, and the p99
 * latency at 16 connections in ms.
 */
export const Reference = z.object({
  work: z.string(),
  1: z.number().nullable(),
  16: z.number().nullable(),
  64: z.number().nullable(),
  p99: z.number().nullable(),
  note: z.string().optional(),
})
export type Reference = z.infer<typeof Reference>

const connections = [1, 16, 64] as const

const figures = /(<!-- figures -->\n).*(\n<!-- end of figures -->)/s

/** Returns the page with the figures of a report between their two marker comments. */
export function withFigures(
  page: string,
  results: Results,
  reference: Record<string, Reference>,
): string {
  const text = [...table(results.runs, reference), '', ...listLines(conditions(results))].join('\n')
  return page.replace(figures, (_all, before, after) => `${before}\n${text}\n${after}`)
}

function table(runs: readonly Run[], reference: Record<string, Reference>): string[] {
  const byName = Map.groupBy(runs, ({ name }) => name)
  const rows = [...byName].map(([name, passes]) => row(passes, { name, other: reference[name] }))
  return [
    `| work | ${connections.map((c) => `c=${c} | ref. | |`).join(' ')} p99 c=16 | ref. | CPU | |`,
    `|---|${'---:|---:|---:|'.repeat(connections.length)}---:|---:|---:|---|`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ]
}

function row(
  passes: readonly Run[],
  { name, other }: { name: string; other: Reference | undefined },
): string[] {
  const best = bestRuns(passes)
  const at = (count: number) => best.find(({ conc }) => conc === count)
  const rates = connections.flatMap((count) => {
    const { rps = null, stolen = null } = at(count) ?? {}
    const theirs = other?.[count] ?? null
    return [marked(rate(rps), stolen), rate(theirs), factor(rps, theirs)]
  })
  const { p99 = null, stolen = null } = at(16) ?? {}
  const errors = passes.reduce((sum, run) => sum + run.errors + run.non2xx, 0)
  const lost = lostUpdates(passes)
  const notes = [
    errors > 0 ? `${errors} errors` : '',
    lost > 0 ? `ours loses ${lost}` : '',
    other?.note ? `reference: ${other.note}` : '',
  ]
  return [
    other?.work ?? name,
    ...rates,
    marked(latency(p99), stolen),
    latency(other?.p99 ?? null),
    processorTime(at(16)),
    notes.filter(Boolean).join('; '),
  ]
}

function conditions(results: Results): string[] {
  const { settings, memory } = results
  return [
    ...measuredText(results),
    `${results.cpus} CPUs (${results.cpuModel}), Node ${results.node}. The load generator, ` +
      'one process with all services and the gateway, Postgres, NATS and Temporal share the ' +
      'machine.',
    `${settings.TXNS.toLocaleString('en-US')} transactions and ${settings.SPENDING} envelopes ` +
      'in the bank account. Requests carry an API key unless a session is named.',
    'Postgres 18 with its defaults (fsync on). The reference figures were measured on the same ' +
      'kind of machine with Postgres 15, each ±15 %.',
    `Memory (resident): ${memoryText(memory.idle)} idle, ` +
      `${memoryText(memory.end)} after the load.`,
  ]
}

function memoryText(processes: Record<string, { rssMiB: number }> | null): string {
  const parts = Object.entries(processes ?? {}).map(
    ([name, { rssMiB }]) => `${name} ${Math.round(rssMiB)} MiB`,
  )
  return parts.length === 0 ? 'not measured' : parts.join(', ')
}
