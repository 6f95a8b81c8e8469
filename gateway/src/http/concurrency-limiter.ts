import { refused, unavailable } from '@coffer/kit/rpc/errors'

/**
 * Concurrency limiter, per process and per account. Libraries queue excess work; this one refuses
 * it at once, with 429 or 503.
 */
export interface ConcurrencyLimiter {
  /**
   * Counts one more task. The returned function ends the task; call it once. Throws refused (429)
   * at the limit per account, unavailable (503) at the limit per process.
   */
  acquire: (accountId: string) => () => void
}

/** Returns a limiter that counts in memory. At a limit, clients get the error `text`. */
export function createConcurrencyLimiter(options: {
  max: number
  perAccountMax: number
  text: string
}): ConcurrencyLimiter {
  const countByAccount = new Map<string, number>()
  let total = 0
  const add = (accountId: string, step: 1 | -1) => {
    const count = (countByAccount.get(accountId) ?? 0) + step
    if (count > 0) countByAccount.set(accountId, count)
    else countByAccount.delete(accountId)
    total += step
  }
  return {
    acquire: (accountId) => {
      if (total >= options.max) throw unavailable(options.text)
      if ((countByAccount.get(accountId) ?? 0) >= options.perAccountMax) {
        throw refused(options.text, { status: 429, retryAfterSeconds: 5 })
      }
      add(accountId, 1)
      return () => add(accountId, -1)
    },
  }
}
