/** A point of the line: an instant in ms, and the amount after it in minor units. */
export interface Point {
  at: number
  amount: number
}

/** Size of the chart in units of its view box, and the room for its labels. */
export interface Frame {
  width: number
  height: number
  left: number
  right: number
  top: number
  bottom: number
}

/** Returns the size for a wide or a narrow screen, so that labels keep their size. */
export function frameOf(isNarrow: boolean): Frame {
  const sides = { left: 4, right: 4, top: 20, bottom: 28 }
  return isNarrow ? { width: 330, height: 250, ...sides } : { width: 920, height: 320, ...sides }
}

export interface Scale {
  x: (at: number) => number
  y: (amount: number) => number
  /** Amounts of the horizontal lines. */
  lines: number[]
}

/** Returns the scale of a chart that has all points, and zero. */
export function scaleOf(points: Point[], place: { end: number; frame: Frame }): Scale {
  const { end, frame } = place
  const amounts = points.map(({ amount }) => amount)
  const [low, high] = [Math.min(0, ...amounts), Math.max(0, ...amounts)]
  const step = stepOf(high - low)
  const [bottom, top] = [Math.floor(low / step) * step, Math.ceil(high / step) * step || step]
  const begin = points[0]?.at ?? end
  const width = frame.width - frame.left - frame.right
  const height = frame.height - frame.top - frame.bottom
  return {
    x: (at) => frame.left + (width * (at - begin)) / Math.max(end - begin, 1),
    y: (amount) => frame.top + (height * (top - amount)) / (top - bottom),
    lines: Array.from(
      { length: Math.round((top - bottom) / step) + 1 },
      (_, at) => bottom + at * step,
    ),
  }
}

/** Returns the path of a line that changes at once: a step at each point. */
export function stepsOf(points: Point[], { x, y }: Scale, end: number): string {
  const [first, ...rest] = points
  if (first === undefined) return ''
  const steps = rest.map(({ at, amount }) => `H${round(x(at))}V${round(y(amount))}`)
  return `M${round(x(first.at))} ${round(y(first.amount))}${steps.join('')}H${round(x(end))}`
}

/** Returns a distance of lines that is 1, 2 or 5 times a power of ten: four to eight lines. */
function stepOf(range: number): number {
  const rough = Math.max(range, 100) / 5
  const power = 10 ** Math.floor(Math.log10(rough))
  const digit = [1, 2, 5, 10].find((one) => one * power >= rough) ?? 10
  return digit * power
}

function round(value: number): number {
  return Math.round(value * 10) / 10
}
