import { hourMs } from '@coffer/kit/values/time'
import type { CryptoKey } from 'jose'
import { LRUCache } from 'lru-cache'
import type { OpenAggregator } from '../provider/aggregator.ts'
import { faultOf } from '../provider/plaid-fault.ts'
import { importKey } from './webhook-token.ts'

/** Finds the public keys of webhooks by their IDs. */
export interface WebhookKeys {
  /** Returns null for an unknown, invalid or expired key. Throws if the aggregator fails. */
  find: (keyId: string) => Promise<CryptoKey | null>
}

interface Found {
  key: CryptoKey | null
  /** Instant from which the aggregator is asked again. */
  until: number
  expiresAt: number
}

const minuteMs = hourMs / 60
const knownMs = 30 * minuteMs
const unknownMs = minuteMs
// Below the gateway's deadline, so that its answer is 424.
const callMs = 4_000

/**
 * Creates the cache of keys: until they expire, or else for 30 minutes; that an ID is unknown, for
 * a minute. The two have caches of their own, so that forged IDs do not displace the keys.
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
  const read = async (keyId: string): Promise<Found> => {
    const aggregator = await openAggregator()
    const by = { signal: AbortSignal.timeout(callMs), timeoutMs: callMs }
    const answer = await aggregator.readWebhookKey(keyId, by).catch(orUnusable)
    const key = answer && (await importKey(answer))
    const now = clock().getTime()
    const expiresAt = answer?.expiredAt?.getTime() ?? Number.POSITIVE_INFINITY
    const isUsable = key !== null && expiresAt > now
    const ends = answer?.expiredAt ? expiresAt : now + knownMs
    const found = { key, expiresAt, until: isUsable ? ends : now + unknownMs }
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
      const cached = known.get(keyId) ?? unknown.get(keyId)
      const isFresh = cached !== undefined && cached.until > clock().getTime()
      const { key, expiresAt } = isFresh ? cached : await readOnce(keyId)
      return expiresAt > clock().getTime() ? key : null
    },
  }
}

/** A key that is none of ES256 and P-256 is an answer that cannot be read. */
function orUnusable(error: unknown): null {
  if (faultOf(error)?.code === 'unreadable') return null
  throw error
}
