/** A point of a line: an instant in ms, and the amount from then on in minor units. */
export interface Point {
  at: number
  amount: number
}

/** Size of the chart in units of its view box, with margins for labels. */
export interface Frame {
  width: number
  height: number
  left: number
  right: number
  top: number
  bottom: number
}

/** Returns the size for a wide or a narrow screen, so that labels have the same size on both. */
export function frameOf(isNarrow: boolean, amounts: string[]): Frame {
  const left = Math.max(...amounts.map(widthOf)) + 10
  const sides = { left, right: 6, top: 12, bottom: 28 }
  return isNarrow ? { width: 330, height: 250, ...sides } : { width: 920, height: 320, ...sides }
}

/** Estimates the width of a label, rather too large; characters of East Asia are square. */
export function widthOf(label: string): number {
  const letters = [...label.replaceAll(/[\u200f\u2068\u2069]/g, '')]
  return letters.reduce((sum, one) => sum + ((one.codePointAt(0) ?? 0) >= 0x2e80 ? 12.5 : 7), 0)
}

/** A label of the time axis; `side` aligns it at an end of the axis. */
export interface Tick {
  at: number
  text: string
  side: 'begin' | 'middle' | 'end'
}

/**
 * Returns as many evenly spaced days as fit, from `begin` to `end`; only the last one shows the
 * year.
 */
export function ticksOf(
  { begin, end }: { begin: number; end: number },
  { width, left, right }: Frame,
  textOf: (at: number, hasYear: boolean) => string,
): Tick[] {
  const dayMs = 86_400_000
  const days = Math.max(Math.round((end - begin) / dayMs), 1)
  const last = textOf(end, true)
  const half = widthOf(textOf(begin, false)) / 2
  const space = half + Math.max(2 * half, widthOf(last)) + 12
  const count = Math.max(1, Math.min(days, Math.floor((width - left - right) / space)))
  return Array.from({ length: count + 1 }, (_, index) => {
    if (index === count) return { at: end, text: last, side: 'end' }
    const at = begin + Math.round((days * index) / count) * dayMs
    return { at, text: textOf(at, false), side: index === 0 ? 'begin' : 'middle' }
  })
}

export interface Scale {
  x: (at: number) => number
  y: (amount: number) => number
}

/** Returns the amounts of the grid lines: round numbers that enclose all points, and zero. */
export function amountLines(points: Point[]): number[] {
  const amounts = points.map(({ amount }) => amount)
  const [low, high] = [Math.min(0, ...amounts), Math.max(0, ...amounts)]
  const step = stepOf(high - low)
  const [bottom, top] = [Math.floor(low / step), Math.ceil(high / step) || 1]
  return Array.from({ length: top - bottom + 1 }, (_, at) => (bottom + at) * step)
}

/**
 * Returns the scale of a chart from the instant `begin` to `end`, with the vertical range of the
 * grid lines.
 */
export function scaleOf(
  lines: number[],
  { begin, end, frame }: { begin: number; end: number; frame: Frame },
): Scale {
  const [bottom = 0, top = 1] = [lines[0], lines.at(-1)]
  const width = frame.width - frame.left - frame.right
  const height = frame.height - frame.top - frame.bottom
  return {
    x: (at) => frame.left + (width * (at - begin)) / Math.max(end - begin, 1),
    y: (amount) => frame.top + (height * (top - amount)) / (top - bottom),
  }
}

/** Returns the SVG path of a step function: the amount jumps at each point. */
export function stepsOf(points: Point[], { x, y }: Scale, end: number): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const steps = rest.map(({ at, amount }) => `H${round(x(at))}V${round(y(amount))}`)
  return `M${round(x(first.at))} ${round(y(first.amount))}${steps.join('')}H${round(x(end))}`
}

/** Returns the distance of grid lines: 1, 2 or 5 times a power of ten, for at most seven lines. */
function stepOf(range: number): number {
  const rough = Math.max(range, 100) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const digit = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10
  return digit * power
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
