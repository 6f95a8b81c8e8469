import { marked, stealText } from '../host/steal.ts'

/** Latencies of work for which no reference figures exist, over `times` consecutive repetitions. */
export interface OwnFigure {
  work: string
  times: number
  medianMs: number
  slowestMs: number
  /** Share of the processor time that the host took, 0 to 1; null if unknown. */
  stolen: number | null
}

const marks = /(<!-- own figures -->\n).*(\n<!-- end of own figures -->)/s

/**
 * Returns the page with the figures of work without reference figures, between two marker comments.
 */
export function withOwnFigures(page: string, figures: readonly OwnFigure[]): string {
  const rows = figures.map(({ work, times, medianMs, slowestMs, stolen }) => {
    const [median, slowest] = [medianMs, slowestMs].map((ms) => marked(inMs(ms), stolen))
    return `| ${[work, times, median, slowest].join(' | ')} |`
  })
  const head = ['| work | times | median ms | slowest ms |', '|---|---:|---:|---:|']
  const steal = stealText(figures.map(({ stolen }) => stolen))
  const text = ['', ...head, ...rows, '', steal, ''].join('\n')
  return page.replace(marks, (_all, before, after) => `${before}${text}${after}`)
}

function inMs(milliseconds: number): string {
  const maximumFractionDigits = milliseconds < 10 ? 1 : 0
  return milliseconds.toLocaleString('en-US', { maximumFractionDigits })
}
