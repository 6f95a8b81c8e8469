import { readProcessors } from './host/proc-stat.ts'
import { stolenShare } from './host/steal.ts'
import type { OwnFigure } from './report/own-report.ts'

/** How often each kind of work is done. */
export const repeats = { read: 200, write: 20, long: 3 }

/** What one of our own kinds of work is, and how it is done once; turns are counted from 0. */
export interface Work {
  work: string
  times: number
  /** What has to be there before each turn; its time does not count. */
  prepare?: (turn: number) => Promise<unknown>
  run: (turn: number) => Promise<unknown>
}

/** Does the work once, to have everything warm, and then so many times, one after the other. */
export async function timed({ work, times, prepare, run }: Work): Promise<OwnFigure> {
  const taken: number[] = []
  const before = readProcessors()
  for (let turn = 0; turn <= times; turn += 1) {
    await prepare?.(turn)
    const start = performance.now()
    await run(turn)
    if (turn > 0) taken.push(performance.now() - start)
  }
  const stolen = stolenShare(before, readProcessors())
  taken.sort((a, b) => a - b)
  const medianMs = taken[Math.floor(times / 2)] ?? 0
  return { work, times, medianMs, slowestMs: taken.at(-1) ?? 0, stolen }
}
