import { disturbing, percent, stealText } from '../host/steal.ts'
import { yardstickText } from '../host/yardstick.ts'
import { alikeRuns, bestRuns } from './best-runs.ts'
import { costOf, type Results, type Run } from './results.ts'

const columnsMax = 120

/** Returns the lines of a list in Markdown, wrapped at 120 columns. */
export function listLines(items: readonly string[]): string[] {
  return items.flatMap((item) => {
    const lines: string[] = []
    let line = '-'
    for (const word of item.split(' ')) {
      if (line.length + 1 + word.length > columnsMax) {
        lines.push(line)
        line = ' '
      }
      line += ` ${word}`
    }
    return [...lines, line]
  })
}

/** Returns the date and the method of the measurement, as items of a Markdown list. */
export function measuredText({ started, settings, runs, yardstick }: Results): string[] {
  return [
    `Measured on ${started.slice(0, 10)} with \`npm run bench\`: ` +
      passesText(runs, settings.SECS),
    stealText(bestRuns(runs).map(({ stolen }) => stolen)),
    ...(yardstick ? [yardstickText(yardstick)] : []),
    'CPU: processor time of a request at c=16, of Coffer, Postgres, NATS and Temporal, in ms.',
  ]
}

/** Returns a text with the number and length of the passes, and which pass the table shows. */
function passesText(runs: readonly Run[], seconds: number): string {
  const counts = alikeRuns(runs).map(({ length }) => length)
  const [fewest, most] = [Math.min(...counts), Math.max(...counts)]
  if (most <= 1) return `one pass of ${seconds} s each.`
  const passes = fewest === most ? `${most}` : `${fewest} to ${most}`
  return (
    `${passes} passes of ${seconds} s each. The table shows one pass: the one with the least ` +
    'processor time per request, among passes in which the host took at most ' +
    `${percent(disturbing)} of the processor time (or, if there is none, among those in which ` +
    'it took least). Other guests slow a virtual machine down even without taking time.'
  )
}

export function processorTime(run: Run | undefined): string {
  const cost = run && costOf(run)
  if (!cost) return '–'
  const text = (inMs: number) => {
    return inMs.toLocaleString('en-US', {
      maximumSignificantDigits: 2,
      maximumFractionDigits: 3,
      roundingPriority: 'lessPrecision',
    })
  }
  return cost.each.map(text).join(' + ')
}

export function rate(perSecond: number | null): string {
  return perSecond === null ? '–' : Math.round(perSecond).toLocaleString('en-US')
}

export function latency(milliseconds: number | null): string {
  return milliseconds === null ? '–' : milliseconds.toLocaleString('en-US', digits(milliseconds))
}

function digits(value: number): Intl.NumberFormatOptions {
  return { maximumFractionDigits: value < 10 ? 1 : 0 }
}

export function factor(ours: number | null, theirs: number | null): string {
  return ours === null || theirs === null ? '–' : `${(ours / theirs).toFixed(1)}×`
}
