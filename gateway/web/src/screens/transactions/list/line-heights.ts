import type { Line } from './day-lines.ts'

/** Heights of lines in CSS pixels, as they are expected before a line is shown. */
export interface LineHeights {
  expected: (line: Line | undefined) => number
  /** Notes the height of a line that is in the page; returns it. */
  learn: (line: Line | undefined, height: number) => number
}

const shapes = 9
const ofDay = 8

/**
 * Creates heights for lines that were never shown: the least of those with the same parts. A line
 * that has another height than expected moves all below it, which takes a second layout of a frame.
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
      // A known line may be higher for a while, as by the form that renames it.
      if (line === undefined || known.has(line)) return height
      known.add(line)
      const shape = shapeOf(line)
      heights[shape] = Math.min(height, heights[shape] ?? height)
      return height
    },
  }
}

/** Returns a number for the parts of a line by which its height differs. */
function shapeOf(line: Line | undefined): number {
  if (line?.kind !== 'transaction') return ofDay
  const { tags, notes, isPending, amount } = line.transaction
  return (tags?.length ? 1 : 0) + (notes || isPending ? 2 : 0) + (amount > 0 ? 4 : 0)
}
