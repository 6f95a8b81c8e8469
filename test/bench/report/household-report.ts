import { z } from 'zod'
import { marked } from '../host/steal.ts'
import { bestRuns } from './best-runs.ts'
import { factor, latency, listLines, measuredText, processorTime, rate } from './figure-text.ts'
import { costOf, type Results, type Run } from './results.ts'

/**
 * Row labels of the table for many households, by kind of work. `mixed` is a visit: a client sends
 * 14 different requests.
 */
export const householdWork = {
  mixed: 'A visit: 14 reads and writes',
  balances_spread: 'GET balances',
  tx_spread: 'GET transactions',
  spending_spread: 'GET spending (10)',
  forecast_spread: 'GET forecast (10 envelopes)',
} as const

const Range = z.tuple([z.number(), z.number()])

/**
 * Reference figures at 16 connections, each as [from, to]: requests per second, and ms of processor
 * time per request of server and Postgres.
 */
export const HouseholdReference = z.object({ rps: Range, server: Range, postgres: Range })
export type HouseholdReference = z.infer<typeof HouseholdReference>

const marks = /(<!-- household figures -->\n).*(\n<!-- end of household figures -->)/s

/** Returns the page with the figures of many households between their two marker comments. */
export function withHouseholdFigures(
  page: string,
  results: Results,
  reference: Record<string, HouseholdReference>,
): string {
  const text = [
    ...workTable(results.runs, reference),
    '',
    ...stepTable(results.runs),
    '',
    ...listLines([
      ...measuredText(results),
      '48 households with 10 envelopes and 200 transactions each, with session cookies; ' +
        'consecutive requests concern different households. At c=16 the visits of 16 ' +
        'households run concurrently.',
      'The reference (CPU of its server and of Postgres) was measured beside Coffer, on a ' +
        'slower machine than that of the table of one household: there it answered 2,523 GET ' +
        'links with a session per second.',
    ]),
  ].join('\n')
  return page.replace(marks, (_all, before, after) => `${before}\n${text}\n${after}`)
}

function workTable(runs: readonly Run[], reference: Record<string, HouseholdReference>): string[] {
  const rows = Object.entries(householdWork).flatMap(([name, work]) => {
    const passes = runs.filter((run) => run.name === name)
    return passes.length === 0 ? [] : [workRow(passes, { work, other: reference[name] })]
  })
  return [
    '| work | c=1 | c=16 | ref. c=16 | | p99 c=16 | CPU | together | ref. CPU | errors |',
    `|---|${'---:|'.repeat(9)}`,
    ...rows.map((cells) => `| ${cells.join(' | ')} |`),
  ]
}

function workRow(
  passes: readonly Run[],
  { work, other }: { work: string; other: HouseholdReference | undefined },
): string[] {
  const [single, many] = [1, 16].map((count) => bestAt(passes, count))
  const total = (many && costOf(many)?.total) ?? null
  const [least = 0, most = 0] = other?.rps ?? []
  return [
    work,
    marked(rate(single?.rps ?? null), single?.stolen ?? null),
    marked(rate(many?.rps ?? null), many?.stolen ?? null),
    other ? `${rate(least)} to ${rate(most)}` : '–',
    factor(many?.rps ?? null, other ? (least + most) / 2 : null),
    marked(latency(many?.p99 ?? null), many?.stolen ?? null),
    processorTime(many),
    total === null ? '–' : total.toFixed(2),
    other ? `${other.server.join(' to ')} + ${other.postgres.join(' to ')}` : '–',
    String(passes.reduce((sum, run) => sum + run.errors + run.non2xx, 0)),
  ]
}

/** Returns a Markdown table with the latencies of the requests that make up a visit. */
function stepTable(runs: readonly Run[]): string[] {
  const visits = runs.filter(({ name }) => name === 'mixed')
  const [single, many] = [1, 16].map((count) => bestAt(visits, count)?.steps ?? {})
  // The label of a request begins with the number of the request within the visit and a space.
  const numberOf = (label: string) => Number(label.split(' ')[0])
  const labels = Object.keys(many ?? {}).sort((a, b) => numberOf(a) - numberOf(b))
  return [
    '| step of a visit, ms | c=1 mean | p99 | c=16 mean | p99 |',
    '|---|---:|---:|---:|---:|',
    ...labels.map((label) => {
      const cells = [single?.[label], many?.[label]].flatMap((step) => {
        return [latency(step?.mean ?? null), latency(step?.p99 ?? null)]
      })
      return `| ${[label.replace(/^\d+ /, ''), ...cells].join(' | ')} |`
    }),
  ]
}

function bestAt(runs: readonly Run[], connections: number): Run | undefined {
  return bestRuns(runs).find(({ conc }) => conc === connections)
}
