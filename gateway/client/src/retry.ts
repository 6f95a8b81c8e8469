/** A failed attempt, and whether another one may succeed. */
export interface Failure {
  error: unknown
  /** Whether the answer got lost, or the server says that the request may be repeated. */
  isTransient: boolean
  /** Seconds that the server asks to wait. */
  retryAfter?: number | undefined
}

export type Outcome<T> = { value: T } | Failure

const firstPauseMs = 250
const pauseMsMax = 8_000
// A longer Retry-After is for the caller to decide about.
const askedMsMax = 30_000

/**
 * Calls `attempt` up to `attempts` times: again after a transient failure. A pause is as long as
 * the server asks, and a random time up to a bound that doubles (full jitter). Throws the error of
 * the last attempt, or the reason of `signal`.
 */
export async function withRetries<T>(
  attempt: () => Promise<Outcome<T>>,
  { attempts, signal }: { attempts: number; signal: AbortSignal },
): Promise<T> {
  for (let n = 1; ; n += 1) {
    const outcome = await attempt()
    if ('value' in outcome) return outcome.value
    signal.throwIfAborted()
    const { error, isTransient, retryAfter } = outcome
    const askedMs = (retryAfter ?? 0) * 1000
    if (n >= attempts || !isTransient || askedMs > askedMsMax) throw error
    const bound = Math.min(pauseMsMax, firstPauseMs * 2 ** (n - 1))
    await pause(askedMs + Math.random() * bound, signal)
  }
}

function pause(ms: number, signal: AbortSignal): Promise<void> {
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
