import { type Timestamp, timestampMs } from '@bufbuild/protobuf/wkt'
import { decimalPlaces } from '@coffer/kit/values/currency'
import { toLocal } from '@coffer/kit/values/time'
import type { Forecast, ForecastEvent, ForecastLabels } from '@coffer/proto/budgeting/v1/forecast'
import * as Plot from '@observablehq/plot'
import { parseHTML } from 'linkedom'

/** Input of a forecast's chart: plain data, so that it can be sent to a worker thread. */
export interface ForecastPicture {
  forecast: Forecast
  labels: ForecastLabels
}

/** Colours of charts in light mode: attributes of the marks, so they need no style sheet. */
const colours = {
  paper: '#ffffff',
  ink: '#1f2328',
  envelopes: '#0969da',
  free: '#1a7f37',
  funding: '#8250df',
  due: '#bc4c00',
} as const

/** Colours of charts in dark mode. */
const dark: Record<keyof typeof colours, string> = {
  paper: '#0d1117',
  ink: '#e6edf3',
  envelopes: '#58a6ff',
  free: '#3fb950',
  funding: '#bc8cff',
  due: '#f0883e',
}

/** A point of a line: local wall-clock time stored as UTC, amount in major units. */
type Point = { date: Date; amount: number }

interface Scene {
  start: Date
  end: Date
  envelopes: Point[]
  free: Point[]
  events: (Point & { event: ForecastEvent })[]
  labels: ForecastLabels
  texts: ReturnType<typeof textsOf>
}

const size = { width: 960, height: 420 }
const className = 'coffer-forecast'
const margins = { marginTop: 64, marginBottom: 46 }
/** Insets in px, so that marks near the edge do not hide the dates of the axis. */
const insets = { insetTop: 6, insetBottom: 18 }
/** Maximum width of a digit in px, for the font sizes of axis and labels. */
const digits = { axis: 6.5, label: 7.8 }
const namesMax = 6
/** Number of events above which all marks are small, because large ones would hide the lines. */
const largeMarksMax = 60
const steps = { x: 'date', y: 'amount', curve: 'step-after' } as const

/**
 * Returns an SVG document with two step lines, money in envelopes and free-to-use money, and marks
 * for fundings and due dates. Texts use the account's locale and timezone. Colours follow
 * `prefers-color-scheme`, and are light if style sheets are not applied. The document has no
 * scripts; the serialiser escapes names.
 */
export function forecastChart({ forecast, labels }: ForecastPicture): string {
  const { document } = parseHTML('<html><body></body></html>')
  const scene = sceneOf(forecast, labels)
  const { start, end, envelopes, free, texts } = scene
  const svg = Plot.plot({
    ...size,
    ...margins,
    ...sideMargins(scene),
    document,
    className,
    ariaLabel: texts.heading,
    x: { type: 'utc', domain: [start, end], label: null, ticks: 8, tickFormat: texts.day },
    y: {
      label: null,
      grid: true,
      nice: true,
      zero: true,
      ticks: 6,
      tickFormat: texts.round,
      ...insets,
    },
    marks: [
      Plot.ruleY([0], { stroke: colours.ink, strokeOpacity: 0.5 }),
      Plot.areaY(envelopes, { ...steps, fill: colours.envelopes, fillOpacity: 0.12 }),
      Plot.lineY(free, { ...steps, ...stroke(colours.free), strokeDasharray: '6 3' }),
      Plot.lineY(envelopes, { ...steps, ...stroke(colours.envelopes) }),
      ...eventMarks(scene),
      ...endLabels(scene),
      ...headingMarks(texts.heading),
    ],
  })
  svg.setAttribute('xmlns', 'http://www.w3.org/2000/svg')
  svg.setAttribute('role', 'img')
  svg.setAttribute('color', colours.ink)
  const style = svg.querySelector('style')
  if (style) style.textContent += darkStyles(className)
  const paper = document.createElement('rect')
  for (const side of ['width', 'height']) paper.setAttribute(side, '100%')
  paper.setAttribute('fill', colours.paper)
  style?.after(paper)
  return svg.outerHTML
}

/** Returns the side margins that fit the longest amounts, in px. */
function sideMargins({ envelopes, free, texts }: Scene) {
  const amounts = [...envelopes, ...free].map(({ amount }) => amount)
  const ticks = [Math.max(...amounts, 0), Math.min(...amounts, 0)].map(texts.round)
  const ends = [envelopes, free].map((line) => texts.exact(line.at(-1)?.amount ?? 0))
  const longest = (lines: string[]) => Math.max(...lines.map((line) => line.length))
  return {
    marginLeft: Math.max(48, 20 + (longest(ticks) + 1) * digits.axis),
    marginRight: 24 + longest([...ends, ...Object.values(lineNames)]) * digits.label,
  }
}

function sceneOf({ events, ...forecast }: Forecast, labels: ForecastLabels): Scene {
  const unit = 10 ** decimalPlaces(labels.currency)
  const wall = (at: Timestamp | undefined) =>
    new Date(toLocal(at ? timestampMs(at) : 0, labels.timezone))
  const point = (at: Timestamp | undefined, amount: bigint) => ({
    date: wall(at),
    amount: Number(amount) / unit,
  })
  const { startingTime, endingTime, startingBalance, free } = forecast
  const freePoints = free.map((one) => point(one.date, one.free))
  const marked = events.map((event) => ({ ...point(event.date, event.balance), event }))
  const first = point(startingTime, startingBalance)
  const end = wall(endingTime)
  const lastAt = (points: Point[]) => ({ date: end, amount: points.at(-1)?.amount ?? 0 })
  const balances = [first, ...marked.map(({ date, amount }) => ({ date, amount }))]
  return {
    start: first.date,
    end,
    events: marked,
    labels,
    envelopes: [...balances, lastAt(balances)],
    free: [...freePoints, lastAt(freePoints)],
    texts: textsOf(labels, { start: first.date, end, unit }),
  }
}

/** Returns formatters of dates and amounts in the account's locale. */
function textsOf(
  { locale, currency }: ForecastLabels,
  { start, end, unit }: { start: Date; end: Date; unit: number },
) {
  const language = locale.replaceAll('_', '-')
  const money = { style: 'currency', currency } as const
  const days = { month: 'short', day: 'numeric', timeZone: 'UTC' } as const
  const exact = new Intl.NumberFormat(language, money)
  const round = new Intl.NumberFormat(language, { ...money, maximumFractionDigits: 0 })
  const day = new Intl.DateTimeFormat(language, days)
  const date = new Intl.DateTimeFormat(language, { dateStyle: 'medium', timeZone: 'UTC' })
  return {
    heading: `Forecast, ${date.formatRange(start, end)}`,
    day: (at: Date) => day.format(at),
    date: (at: Date) => date.format(at),
    round: (amount: number) => round.format(amount),
    exact: (amount: number) => exact.format(amount),
    minor: (amount: bigint) => exact.format(Number(amount) / unit),
  }
}

const lineNames = { envelopes: 'In envelopes', free: 'Free to use' }
const funding = { symbol: 'triangle', r: 4.5, fill: colours.funding } as const
const due = { symbol: 'triangle', rotate: 180, r: 4.5, fill: colours.due } as const

function eventMarks({ events, labels, texts }: Scene) {
  const titled = (amount: bigint, date: Date, names: string[]) =>
    `${texts.date(date)}: ${texts.minor(amount)}\n${shortenList(names).join(', ')}`
  const isDense = events.length > largeMarksMax
  const look = isDense ? { r: 2 } : { stroke: colours.paper }
  const at = { x: 'date', y: 'amount' }
  return [
    Plot.dot(
      events.filter(({ event }) => event.funding.length > 0),
      {
        ...at,
        ...funding,
        ...look,
        dy: -9,
        title: ({ date, event }: Scene['events'][number]) => {
          const names = event.funding.map((one) => labels.scheduleNames[one.fundingScheduleId])
          return titled(event.contribution, date, withoutMissing(names))
        },
      },
    ),
    Plot.dot(
      events.filter(({ event }) => event.transaction > 0n),
      {
        ...at,
        ...due,
        ...look,
        dy: 9,
        title: ({ date, event }: Scene['events'][number]) => {
          const spent = event.spending.filter((one) => one.transactionAmount > 0n)
          const names = spent.map((one) => labels.spendingNames[one.spendingId])
          return titled(event.transaction, date, withoutMissing(names))
        },
      },
    ),
  ]
}

function withoutMissing(names: (string | undefined)[]): string[] {
  return names.filter((name) => name !== undefined)
}

function shortenList(names: string[]): string[] {
  const more = names.length - namesMax
  return more > 0 ? [...names.slice(0, namesMax), `${more} more`] : names
}

/** Returns labels at the line ends, the upper one above its line, so that they do not overlap. */
function endLabels({ envelopes, free, texts }: Scene) {
  const ends = [
    { name: lineNames.envelopes, point: envelopes.at(-1), fill: colours.envelopes },
    { name: lineNames.free, point: free.at(-1), fill: colours.free },
  ].sort((a, b) => (b.point?.amount ?? 0) - (a.point?.amount ?? 0))
  return ends.flatMap(({ name, point, fill }, index) =>
    point
      ? Plot.text([point], {
          x: 'date',
          y: 'amount',
          fill,
          fontSize: 12,
          textAnchor: 'start',
          dx: 8,
          dy: index === 0 ? -14 : 14,
          text: () => `${name}\n${texts.exact(point.amount)}`,
        })
      : [],
  )
}

function headingMarks(heading: string) {
  const position = { frameAnchor: 'top-left', fill: colours.ink } as const
  const key = [
    { name: 'Funding', mark: funding },
    { name: 'Due', mark: due },
  ]
  return [
    Plot.text([heading], { ...position, dy: -46, fontSize: 16, fontWeight: 600 }),
    ...key.flatMap(({ name, mark }, index) => [
      Plot.dot([name], { ...position, ...mark, dx: 5 + index * 110, dy: -16 }),
      Plot.text([name], { ...position, dx: 16 + index * 110, dy: -21, fontSize: 12 }),
    ]),
  ]
}

function stroke(colour: string) {
  return { stroke: colour, strokeWidth: 2 }
}

/** Returns the CSS with dark-mode colours of marks inside elements of the class. */
function darkStyles(className: string): string {
  const names = Object.keys(colours) as (keyof typeof colours)[]
  const rules = names.flatMap((name) =>
    ['fill', 'stroke'].map(
      (kind) => `.${className} [${kind}="${colours[name]}"] { ${kind}: ${dark[name]} }`,
    ),
  )
  const text = `.${className} { color: ${dark.ink} }`
  return `\n@media (prefers-color-scheme: dark) {\n${[text, ...rules].join('\n')}\n}`
}
