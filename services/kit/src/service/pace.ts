import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** Limits background work to a share of time (duty cycle). */
export interface Pace extends Disposable {
  /** Runs one piece of work, then pauses; returns the result of the work. */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>
}

const resolutionMs = 5
const lateMsMax = 10
const slowdownMax = 8
const restMsMax = 1_000

/**
 * Creates a duty cycle: work takes at most `share` (0 to 1) of the time, less while the event loop
 * lags. Each piece of work should take some tens of milliseconds, because pauses come only in
 * between.
 */
export function createPace({ share }: { share: number }): Pace {
  const delays = monitorEventLoopDelay({ resolution: resolutionMs })
  delays.enable()
  let slowdown = 1
  return {
    run: async (work) => {
      delays.reset()
      const startedAt = performance.now()
      try {
        return await work()
      } finally {
        const workedMs = performance.now() - startedAt
        const lateMs = delays.percentile(90) / 1e6 - resolutionMs
        slowdown = slowdownAfter(slowdown, lateMs)
        await sleep(restMs(workedMs, { share, slowdown }))
      }
    },
    [Symbol.dispose]: () => {
      delays.disable()
    },
  }
}

/**
 * Returns the next factor (1 to 8) of the pause: doubled if the event loop lag `lateMs` was high
 * during the last piece of work, else halved.
 */
export function slowdownAfter(slowdown: number, lateMs: number): number {
  const next = lateMs > lateMsMax ? slowdown * 2 : slowdown / 2
  return Math.min(slowdownMax, Math.max(1, next))
}

/** Returns the pause in ms after work that took `workedMs`, at most one second. */
export function restMs(workedMs: number, of: { share: number; slowdown: number }): number {
  return Math.min(restMsMax, workedMs * (1 / of.share - 1) * of.slowdown)
}
