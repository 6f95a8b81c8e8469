import { isIPv6 } from 'node:net'
import { refused } from '@coffer/kit/rpc/errors'
import { LRUCache } from 'lru-cache'
import { isRefusal } from '../http/errors/errors.ts'

// One minute: lru-cache keeps an entry for one more millisecond than its lifetime.
const windowMs = 60_000 - 1
const networksMax = 100_000

/** `all` counts every attempt, `refused` only those that a service refuses. */
export type Counting = 'all' | 'refused'

export interface Attempts {
  /**
   * Runs an attempt for a client's IP address and returns its result. Throws refused (429 with
   * `Retry-After`) when the network of the address has reached its limit within a minute.
   */
  run: <Result>(
    address: string,
    attempt: () => Promise<Result>,
    counting?: Counting,
  ) => Promise<Result>
}

/**
 * Returns a rate limit by network: fixed windows of a minute, for guesses of credentials and
 * requests for mails (docs/security.md#guessing-and-flooding). Each process counts by itself.
 */
export function limitAttempts({ max, clock }: { max: number; clock: () => Date }): Attempts {
  const windows = new LRUCache<string, { attempts: number }>({
    max: networksMax,
    ttl: windowMs,
    ttlResolution: 0,
    perf: { now: () => clock().getTime() },
  })
  return {
    run: async (address, attempt, counting = 'refused') => {
      const network = networkOf(address)
      const window = windows.get(network) ?? { attempts: 0 }
      if (window.attempts === 0) windows.set(network, window)
      if (window.attempts >= max) {
        const retryAfterSeconds = Math.ceil(windows.getRemainingTTL(network) / 1000)
        throw refused('too many attempts: repeat after Retry-After', {
          status: 429,
          retryAfterSeconds,
        })
      }
      // The attempt counts before its result is known, so that concurrent guesses hit the limit.
      window.attempts += 1
      try {
        const result = await attempt()
        if (counting === 'refused') window.attempts -= 1
        return result
      } catch (error) {
        if (counting === 'refused' && !isRefusal(error)) window.attempts -= 1
        throw error
      }
    },
  }
}

/** Returns the network of an IP address: IPv4 as it is, the /64 prefix of IPv6 (RFC 6177). */
export function networkOf(address: string): string {
  const [, mapped] = /^::ffff:(\d+\.\d+\.\d+\.\d+)$/i.exec(address) ?? []
  if (mapped) return mapped
  if (!isIPv6(address)) return address
  const [head = '', tail] = (address.split('%', 1)[0] ?? '').split('::')
  const left = head === '' ? [] : head.split(':')
  const right = tail ? tail.split(':') : []
  const between = tail === undefined ? 0 : 8 - left.length - right.length
  const groups = [...left, ...Array<string>(Math.max(0, between)).fill('0'), ...right]
  return `${groups
    .slice(0, 4)
    .map((group) => Number.parseInt(group, 16).toString(16))
    .join(':')}::`
}
