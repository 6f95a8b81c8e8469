import type { Line } from './day-lines.ts'

/** Heights of lines in CSS pixels, estimated before a line is rendered. */
export interface LineHeights {
  expected: (line: Line | undefined) => number
  /** Stores the height of a rendered line, and returns it. */
  learn: (line: Line | undefined, height: number) => number
}

const shapes = 9
const ofDay = 8

/**
 * Estimates the height of unrendered lines: the smallest height of lines with the same parts. A
 * wrong estimate moves all lines below, and costs a second layout in the frame.
 */
export function createLineHeights(): LineHeights {
  const heights: (number | undefined)[] = Array.from({ length: shapes })
  const known = new WeakSet<Line>()
  return {
    expected: (line) => {
      const shape = shapeOf(line)
      return heights[shape] ?? (shape === ofDay ? 44 : 56)
    },
    learn: (line, height) => {
      // Only the first height of a line counts: later it may be higher for a while, for example
      // while it is renamed.
      if (line === undefined || known.has(line)) return height
      known.add(line)
      const shape = shapeOf(line)
      heights[shape] = Math.min(height, heights[shape] ?? height)
      return height
    },
  }
}

/** Returns a number for the combination of parts that determines the height of a line. */
function shapeOf(line: Line | undefined): number {
  if (line?.kind !== 'transaction') return ofDay
  const { tags, notes, isPending, refundSpendingId, amount } = line.transaction
  const hasLineBelow = notes || isPending || refundSpendingId
  return (tags?.length ? 1 : 0) + (hasLineBelow ? 2 : 0) + (amount > 0 ? 4 : 0)
}
