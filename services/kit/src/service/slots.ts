/** Slots of a concurrency limiter, first in, first out. */
export interface Slots {
  /** Takes a free slot; returns false when there is none. */
  tryTake: () => boolean
  /** Waits for a slot; throws the signal's reason when it aborts. */
  take: (signal: AbortSignal) => Promise<void>
  /** Waits for a slot; returns false after `ms`. Cheaper than a signal for each wait. */
  takeWithin: (ms: number) => Promise<boolean>
  /** Releases a slot to the next waiter. */
  free: () => void
  /** Number of waiters. */
  waiting: () => number
}

/** Concurrency limiter with `count` slots, first in, first out. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting = new Set<() => void>()
  const tryTake = (): boolean => {
    if (free === 0) return false
    free -= 1
    return true
  }
  return {
    tryTake,
    take: async (signal) => {
      signal.throwIfAborted()
      if (tryTake()) return
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.add(resolve)
      const leave = (): void => {
        if (waiting.delete(resolve)) reject(signal.reason)
      }
      signal.addEventListener('abort', leave, { once: true })
      await promise
    },
    takeWithin: (ms) => {
      if (tryTake()) return Promise.resolve(true)
      const { promise, resolve } = Promise.withResolvers<boolean>()
      const enter = (): void => {
        clearTimeout(timer)
        resolve(true)
      }
      const timer = setTimeout(() => {
        if (waiting.delete(enter)) resolve(false)
      }, ms)
      waiting.add(enter)
      return promise
    },
    free: () => {
      const [next] = waiting
      if (next) {
        waiting.delete(next)
        next()
      } else {
        free += 1
      }
    },
    waiting: () => waiting.size,
  }
}
