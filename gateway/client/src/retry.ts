/** A failed attempt, and whether another one may succeed. */
export interface Failure {
  error: unknown
  /** Whether the answer got lost, or the server says that the request may be repeated. */
  isTransient: boolean
  /** Seconds that the server asks to wait. */
  retryAfter?: number | undefined
  /** Whether no server was ever reached: the address may be wrong. */
  isUnreached?: boolean
}

export type Outcome<T> = { value: T } | Failure

const firstPauseMs = 250
const pauseMsMax = 8_000
// Maximum Retry-After in ms that is awaited; after a longer one the caller decides.
const askedMsMax = 30_000

/** Time in ms for attempts as long as no server was ever reached: the address may be wrong. */
const unreachedMsMax = 4_000

/** Time in ms that a requested pause must leave for the next attempt; else there is none. */
const leftMsMin = 100

/**
 * Calls `attempt` up to `attempts` times: again after a transient failure. A pause is the time that
 * the server asks for, plus a random time up to a bound that doubles (full jitter). Throws the
 * error of the last attempt, also if a pause would end after `until` (as `performance.now()`), or
 * after four seconds in which no server was reached; or the reason of `signal`.
 */
export async function withRetries<T>(
  attempt: () => Promise<Outcome<T>>,
  { attempts, signal, until }: { attempts: number; signal: AbortSignal; until: number },
): Promise<T> {
  const unreachedUntil = Math.min(until, performance.now() + unreachedMsMax)
  for (let n = 1; ; n += 1) {
    const outcome = await attempt()
    if ('value' in outcome) return outcome.value
    signal.throwIfAborted()
    const { error, isTransient, retryAfter, isUnreached } = outcome
    const askedMs = (retryAfter ?? 0) * 1000
    const askedMsBound = Math.min(askedMsMax, until - performance.now() - leftMsMin)
    if (n >= attempts || !isTransient || askedMs > askedMsBound) throw error
    const bound = Math.min(pauseMsMax, firstPauseMs * 2 ** (n - 1))
    const pauseMs = askedMs + Math.random() * bound
    if (performance.now() + pauseMs > (isUnreached ? unreachedUntil : until)) throw error
    await pause(pauseMs, signal)
  }
}

/** Resolves after a time; rejects with the reason of `signal` when it aborts. */
export function pause(ms: number, signal: AbortSignal): Promise<void> {
  return new Promise((resolve, reject) => {
    const stop = () => {
      clearTimeout(timer)
      reject(signal.reason)
    }
    const timer = setTimeout(() => {
      signal.removeEventListener('abort', stop)
      resolve()
    }, ms)
    signal.addEventListener('abort', stop, { once: true })
  })
}
