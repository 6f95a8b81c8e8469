import { refused, unavailable } from '@coffer/kit/rpc/errors'

/** Places for what takes its time: so many in this process, and so many for each account. */
export interface Places {
  /** Throws where there is none: 429 where the account has too many, 503 where all have. */
  requireFree: (accountId: string) => void
  /** Takes one, also where there is none; returns what gives it back. */
  take: (accountId: string) => () => void
}

/** @param options.text what a client is told where there is no place */
export function createPlaces(options: {
  max: number
  perAccountMax: number
  text: string
}): Places {
  const taken = new Map<string, number>()
  let total = 0
  const count = (accountId: string, step: 1 | -1) => {
    const held = (taken.get(accountId) ?? 0) + step
    if (held > 0) taken.set(accountId, held)
    else taken.delete(accountId)
    total += step
  }
  return {
    requireFree: (accountId) => {
      if (total >= options.max) throw unavailable(options.text)
      if ((taken.get(accountId) ?? 0) >= options.perAccountMax) {
        throw refused(options.text, { status: 429, retryAfterSeconds: 5 })
      }
    },
    take: (accountId) => {
      count(accountId, 1)
      return () => count(accountId, -1)
    },
  }
}
