import { hourMs } from '@coffer/kit/values/time'
import type { CryptoKey } from 'jose'
import { LRUCache } from 'lru-cache'
import type { OpenAggregator } from '../provider/aggregator.ts'
import { endpoints } from '../provider/call-limit.ts'
import { faultOf, plaidFailure } from '../provider/plaid-fault.ts'
import { importKey } from './webhook-token.ts'

/** Finds the public keys of webhooks by their IDs. */
export interface WebhookKeys {
  /** Returns null for an unknown, invalid or expired key. Throws if the aggregator fails. */
  find: (keyId: string) => Promise<CryptoKey | null>
}

interface Found {
  key: CryptoKey | null
  readAt: number
  /** Instant in ms from which the aggregator is asked again for this key. */
  until: number
  expiresAt: number
}

const minuteMs = hourMs / 60
const knownMs = 30 * minuteMs
const unknownMs = minuteMs
// Time in ms for which a known key stays valid if the limit of calls prevents reading it again.
const staleMs = 24 * hourMs
// Shorter than the gateway's deadline, so that the client gets 424 instead of a timeout.
const callMs = 4_000

/**
 * Creates the cache of webhook keys. Known keys are cached until they expire, otherwise for 30
 * minutes; unknown IDs for a minute, in a cache of their own, so that forged IDs do not evict keys.
 * At the limit of calls, a known key stays valid for a day, and other IDs are refused at once.
 */
export function createWebhookKeys({
  openAggregator,
  clock,
}: {
  openAggregator: OpenAggregator
  clock: () => Date
}): WebhookKeys {
  const known = new LRUCache<string, Found>({ max: 100 })
  const unknown = new LRUCache<string, Found>({ max: 1_000 })
  const pending = new Map<string, Promise<Found>>()
  const limit = createReadLimit(clock)
  const read = async (keyId: string): Promise<Found> => {
    const aggregator = await openAggregator()
    const by = { signal: AbortSignal.timeout(callMs), timeoutMs: callMs }
    const answer = await limit.run(() => aggregator.readWebhookKey(keyId, by)).catch(orUnusable)
    const key = answer && (await importKey(answer))
    const now = clock().getTime()
    const expiresAt = answer?.expiredAt?.getTime() ?? Number.POSITIVE_INFINITY
    const isUsable = key !== null && expiresAt > now
    const ends = answer?.expiredAt ? expiresAt : now + knownMs
    const found = { key, expiresAt, readAt: now, until: isUsable ? ends : now + unknownMs }
    const [cache, other] = isUsable ? [known, unknown] : [unknown, known]
    cache.set(keyId, found)
    other.delete(keyId)
    return found
  }
  const readOnce = (keyId: string): Promise<Found> => {
    const reading = pending.get(keyId) ?? read(keyId).finally(() => pending.delete(keyId))
    pending.set(keyId, reading)
    return reading
  }
  return {
    find: async (keyId) => {
      const now = clock()
      const cached = known.get(keyId) ?? unknown.get(keyId)
      const isFresh = cached !== undefined && cached.until > now.getTime()
      const found = isFresh ? cached : await readOnce(keyId).catch(orStale(cached, now))
      const { key, expiresAt } = found
      return expiresAt > clock().getTime() ? key : null
    },
  }
}

/**
 * Caches the limit of reads in this process. Until the minute of the limit ends, further reads are
 * refused without a query, which would wait for the row lock of the call count.
 */
function createReadLimit(clock: () => Date) {
  let minute = 0
  let count = 0
  let limitedUntil = 0
  return {
    /** Runs a read. Throws the fault `rate-limited` at the limit. */
    run: async <Result>(read: () => Promise<Result>): Promise<Result> => {
      const now = clock().getTime()
      if (Math.floor(now / minuteMs) !== minute) [minute, count] = [Math.floor(now / minuteMs), 0]
      const isOver = count >= endpoints.webhookVerificationKeyGet.clientMax
      const retryAfterMs = isOver ? (minute + 1) * minuteMs - now : limitedUntil - now
      // A clock that was set back must not prolong the limit.
      if (retryAfterMs > 0 && retryAfterMs <= minuteMs) {
        throw plaidFailure('rate-limited', { retryAfterMs })
      }
      count += 1
      return read().catch((error: unknown) => {
        const fault = faultOf(error)
        if (fault?.code === 'rate-limited') limitedUntil = now + (fault.retryAfterMs ?? minuteMs)
        throw error
      })
    },
  }
}

/** At the limit of calls, returns the cached key if it was read within the last day. */
function orStale(cached: Found | undefined, now: Date) {
  return (error: unknown): Found => {
    const isLimited = faultOf(error)?.code === 'rate-limited'
    const isKnown = cached !== undefined && cached.key !== null
    if (isLimited && isKnown && now.getTime() - cached.readAt < staleMs) return cached
    throw error
  }
}

/**
 * Returns null for the fault `unreadable`, which a key of another algorithm or curve than ES256 and
 * P-256 causes; rethrows other errors.
 */
function orUnusable(error: unknown): null {
  if (faultOf(error)?.code === 'unreadable') return null
  throw error
}
