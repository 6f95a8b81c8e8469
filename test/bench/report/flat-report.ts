import { marked, stealText } from '../host/steal.ts'
import { listLines } from './figure-text.ts'

/** Figures of one kind of request in a database with this number of transactions. */
export interface FlatFigure {
  work: string
  transactions: number
  /** Number of households that the requests were for. */
  households: number
  medianMs: number
  p99Ms: number
  /** Processor time of Postgres per request in ms; null if unknown. */
  postgresMs: number | null
  /** Largest share of the processor time that the host took in a round, 0 to 1; null if unknown. */
  stolen: number | null
}

const marks = /(<!-- flat figures -->\n).*(\n<!-- end of flat figures -->)/s

/** Returns the page with a table and its conditions between their two marker comments. */
export function withFlatFigures(
  page: string,
  { table, conditions }: { table: readonly string[]; conditions: readonly string[] },
): string {
  const text = ['', ...table, '', ...listLines(conditions), ''].join('\n')
  return page.replace(marks, (_all, before, after) => `${before}${text}${after}`)
}

/**
 * Returns a Markdown table, grouped by kind of work. The columns with × have the ratio to the first
 * figure of the same work.
 */
export function flatTable(figures: readonly FlatFigure[]): string[] {
  const byWork = [...Map.groupBy(figures, ({ work }) => work).values()]
  const rows = byWork.flatMap((alike) => alike.map((figure) => rowOf(figure, alike[0] ?? figure)))
  return [
    '| work | transactions | households asked | median ms | × | p99 ms | × | Postgres CPU ms | × |',
    `|---|${'---:|'.repeat(8)}`,
    ...rows,
    '',
    stealText(figures.map(({ stolen }) => stolen)),
  ]
}

function rowOf(figure: FlatFigure, first: FlatFigure): string {
  const cells = (
    [
      [figure.medianMs, first.medianMs],
      [figure.p99Ms, first.p99Ms],
      [figure.postgresMs, first.postgresMs],
    ] as const
  ).flatMap(([ms, least]) => [
    ms === null ? '–' : marked(ms.toFixed(2), figure.stolen),
    figure === first ? '' : ratio(ms, least),
  ])
  const counts = [figure.transactions, figure.households].map((count) =>
    count.toLocaleString('en-US'),
  )
  return `| ${[figure.work, counts.join(' | '), cells.join(' | ')].join(' | ')} |`
}

function ratio(ms: number | null, first: number | null): string {
  return ms === null || !first ? '–' : `${(ms / first).toFixed(2)}×`
}
