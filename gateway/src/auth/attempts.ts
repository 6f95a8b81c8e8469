import { isIPv6 } from 'node:net'
import { refused } from '@coffer/kit/rpc/errors'
import { isRefusal } from '../http/errors/errors.ts'

const windowMs = 60_000
const networksMax = 100_000

/** Whether every attempt counts, or only one that was refused. */
export type Counting = 'all' | 'refused'

export interface Attempts {
  /**
   * Runs for a client address what is limited. Throws refused (429, with the time until it may be
   * tried again) once too many counted within a minute.
   */
  run: <Result>(
    address: string,
    attempt: () => Promise<Result>,
    counting?: Counting,
  ) => Promise<Result>
}

interface Window {
  attempts: number
  endsAt: number
}

/** Limits what proves somebody or costs somebody, by network (spec/decisions.md, Identity). */
export function limitAttempts({ max, clock }: { max: number; clock: () => Date }): Attempts {
  // In the order of their ends, since all are as long.
  const windows = new Map<string, Window>()
  const windowOf = (network: string, now: number): Window => {
    for (const [known, { endsAt }] of windows) {
      if (endsAt > now && windows.size < networksMax) break
      windows.delete(known)
    }
    const window = windows.get(network) ?? { attempts: 0, endsAt: now + windowMs }
    windows.set(network, window)
    return window
  }
  return {
    run: async (address, attempt, counting = 'refused') => {
      const now = clock().getTime()
      const window = windowOf(networkOf(address), now)
      if (window.attempts >= max) {
        const retryAfterSeconds = Math.ceil((window.endsAt - now) / 1000)
        throw refused('too many attempts: try again later', { status: 429, retryAfterSeconds })
      }
      // Counted before it is known, so that many at once do not all get through.
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

/**
 * What one client has to itself: an IPv4 address, or the 64 bits of IPv6 that are a single network
 * (RFC 6177).
 */
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
