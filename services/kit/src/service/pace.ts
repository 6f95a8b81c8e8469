import { monitorEventLoopDelay } from 'node:perf_hooks'
import { setTimeout as sleep } from 'node:timers/promises'

/** Takes work that nobody waits for at a pace that leaves room for requests. */
export interface Pace extends Disposable {
  /** Does a piece of work, then rests. */
  run: <Result>(work: () => Promise<Result>) => Promise<Result>
}

const resolutionMs = 5
const lateMsMax = 10
const slowdownMax = 8
const restMsMax = 1_000

/**
 * A pace at which work takes no more than `share` (above 0, at most 1) of the time, and less while
 * the event loop is late: then requests wait already. Work is to be cut into pieces of some tens of
 * milliseconds.
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

/** How many times longer to rest: twice as long after a late piece, half as long after another. */
export function slowdownAfter(slowdown: number, lateMs: number): number {
  const next = lateMs > lateMsMax ? slowdown * 2 : slowdown / 2
  return Math.min(slowdownMax, Math.max(1, next))
}

/** How long to rest after so much work, in ms. */
export function restMs(
  workedMs: number,
  { share, slowdown }: { share: number; slowdown: number },
): number {
  return Math.min(restMsMax, workedMs * (1 / share - 1) * slowdown)
}
