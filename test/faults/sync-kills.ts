import { shuffled } from '../providers/shuffled.ts'
import { type HeldPoint, reach, type Surroundings, type Work } from './held-points.ts'

/** Work that is held at a point. */
export interface Held<One extends Work> {
  point: HeldPoint<One>
  work: One
}

/**
 * Returns `count` of the points, with one import. Consecutive seeds go through all of them.
 */
export function turnOf<Point extends { isImport: boolean }>(
  points: readonly Point[],
  { count, seed }: { count: number; seed: number },
): Point[] {
  const imports = points.filter(({ isImport }) => isImport)
  const others = points.filter(({ isImport }) => !isImport)
  const importCount = Math.min(imports.length, 1)
  // Imports are held last: they occupy the process.
  return [
    ...next(others, { count: count - importCount, seed }),
    ...next(imports, { count: importCount, seed }),
  ]
}

function next<Point>(
  points: readonly Point[],
  { count, seed }: { count: number; seed: number },
): Point[] {
  const mixed = shuffled(points, 1)
  const from = (seed - 1) * count
  return Array.from({ length: count }, (_, index) => mixed[(from + index) % mixed.length] as Point)
}

/** Kills a process while work is held, and starts it again. */
export async function killAt<One extends Work>(
  around: Surroundings,
  all: readonly Held<One>[],
  process: {
    kill: () => Promise<void>
    whileDown?: () => Promise<void>
    start: () => Promise<void>
  },
): Promise<void> {
  const holds = new AsyncDisposableStack()
  for (const { point, work } of all) {
    const end = await reach(around, point, work).catch((cause) => {
      throw new Error(`the point was not reached: ${point.name}`, { cause })
    })
    holds.defer(async () => void (await end()))
  }
  await process.kill()
  await holds.disposeAsync()
  await process.whileDown?.()
  await process.start()
}
