import { readProcessors } from './host/proc-stat.ts'
import { stolenShare } from './host/steal.ts'
import type { OwnFigure } from './report/own-report.ts'

/** Number of measured repetitions: of reads, of writes, and of work that takes long. */
export const repeats = { read: 200, write: 20, long: 3 }

/** Work to measure by consecutive repetitions, which are numbered from 0. */
export interface Work {
  work: string
  times: number
  /** Called before each repetition; its time is not measured. */
  prepare?: (repetition: number) => Promise<unknown>
  run: (repetition: number) => Promise<unknown>
}

/**
 * Runs the work once to warm up, then `times` times. Returns the median and the slowest latency of
 * the repetitions after the first.
 */
export async function timed({ work, times, prepare, run }: Work): Promise<OwnFigure> {
  const taken: number[] = []
  const before = readProcessors()
  for (let repetition = 0; repetition <= times; repetition += 1) {
    await prepare?.(repetition)
    const start = performance.now()
    await run(repetition)
    if (repetition > 0) taken.push(performance.now() - start)
  }
  const stolen = stolenShare(before, readProcessors())
  taken.sort((a, b) => a - b)
  const medianMs = taken[Math.floor(times / 2)] ?? 0
  return { work, times, medianMs, slowestMs: taken.at(-1) ?? 0, stolen }
}
