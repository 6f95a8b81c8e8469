import { createHash } from 'node:crypto'
import { dayMs, hourMs } from '@coffer/kit/values/time'

/** The link whose item is called. */
export interface LinkKey {
  accountId: string
  linkId: string
}

/** Path of a method, and its limits per minute: for each item, and for all items together. */
interface Endpoint {
  path: string
  itemMax: number | null
  clientMax: number
}

/**
 * Plaid's limits in production (docs/banks/aggregator.md#limits). For link tokens, exchanges and
 * webhooks Plaid publishes none: these are Coffer's own.
 */
export const endpoints = {
  linkTokenCreate: { path: '/link/token/create', itemMax: null, clientMax: 1_000 },
  itemPublicTokenExchange: { path: '/item/public_token/exchange', itemMax: null, clientMax: 1_000 },
  accountsGet: { path: '/accounts/get', itemMax: 15, clientMax: 15_000 },
  transactionsSync: { path: '/transactions/sync', itemMax: 50, clientMax: 2_500 },
  transactionsGet: { path: '/transactions/get', itemMax: 30, clientMax: 20_000 },
  transactionsRefresh: { path: '/transactions/refresh', itemMax: 2, clientMax: 100 },
  itemWebhookUpdate: { path: '/item/webhook/update', itemMax: 15, clientMax: 1_000 },
  itemRemove: { path: '/item/remove', itemMax: 30, clientMax: 2_000 },
  institutionsGetById: { path: '/institutions/get_by_id', itemMax: null, clientMax: 400 },
  // Limited, because every sender of a webhook can name an unknown key.
  webhookVerificationKeyGet: {
    path: '/webhook_verification_key/get',
    itemMax: null,
    clientMax: 20,
  },
} satisfies Record<string, Endpoint>

/** Methods of Plaid's client that Coffer calls. */
export type PlaidMethod = keyof typeof endpoints

export const minuteMs = hourMs / 60

/** Returns the start of the minute of an instant, from which a limit counts calls. */
export function minuteOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / minuteMs) * minuteMs)
}

/** Returns the start of the UTC day of an instant. */
export function dayOf(now: Date): Date {
  return new Date(Math.floor(now.getTime() / dayMs) * dayMs)
}

/** Reason why a call may not be sent. */
export type Refusal =
  /** Another call of the item is in flight, or was when the permission was refused. */
  | { kind: 'busy' }
  /** A limit is reached until this instant. */
  | { kind: 'limited'; until: Date }

/** State of an item or endpoint: end of the hold, end of the last pause, and calls of a minute. */
interface LimitState {
  heldUntil: Date | null
  limitedUntil: Date | null
  minute: Date
  count: number
}

/**
 * Returns the reason of a refusal, from a state read after it: `busy` if that state would permit
 * the call by now.
 */
export function refusalOf(
  { heldUntil, limitedUntil, minute, count }: LimitState,
  { max, now }: { max: number; now: Date },
): Refusal {
  if (limitedUntil && limitedUntil > now) return { kind: 'limited', until: limitedUntil }
  if (heldUntil && heldUntil > now) return { kind: 'busy' }
  const isReached = minuteOf(now) <= minute && count >= max
  return isReached
    ? { kind: 'limited', until: new Date(minute.getTime() + minuteMs) }
    : { kind: 'busy' }
}

const pauseMs = 30_000
const pauseMsMax = 10 * minuteMs
const jitterMsMax = 10_000

/**
 * Returns the pause in ms after a 429. Exponential backoff with jitter: 30 s, doubled for each
 * preceding 429 in a row, at most 10 minutes, plus up to 10 s derived from the key.
 */
export function backOffMs(inRow: number, key: string): number {
  const pause = Math.min(pauseMs * 2 ** Math.min(inRow, 10), pauseMsMax)
  const hash = createHash('sha256').update(key).digest().readUInt32BE()
  return pause + (hash % jitterMsMax)
}
