/** A number of slots, taken in the order they are asked for. */
export interface Slots {
  isFree: () => boolean
  /** Waits for a slot; throws the signal's reason once it is aborted. */
  take: (signal?: AbortSignal) => Promise<void>
  free: () => void
  /** How many wait for a slot. */
  waiting: () => number
}

/** Concurrency limiter: `count` slots, first in first out. */
export function createSlots(count: number): Slots {
  let free = count
  const waiting = new Set<() => void>()
  return {
    isFree: () => free > 0,
    take: async (signal) => {
      signal?.throwIfAborted()
      if (free > 0) {
        free -= 1
        return
      }
      const { promise, resolve, reject } = Promise.withResolvers<void>()
      waiting.add(resolve)
      const leave = (): void => {
        if (waiting.delete(resolve)) reject(signal?.reason)
      }
      signal?.addEventListener('abort', leave, { once: true })
      await promise
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
