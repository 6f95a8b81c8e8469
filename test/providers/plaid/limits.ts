import { type ErrorCode, PlaidRefusal } from './errors.ts'

/** Requests in a minute, of one item and of the client. */
export interface Limit {
  item: number
  client: number
}

/**
 * Plaid's limits of production by path, as https://plaid.com/docs/errors/rate-limit-exceeded states
 * them.
 */
export const productionLimits: readonly [path: string, limit: Limit][] = [
  ['/accounts/get', { item: 15, client: 15_000 }],
  ['/institutions/get_by_id', { item: Number.POSITIVE_INFINITY, client: 400 }],
  ['/item/remove', { item: 30, client: 2_000 }],
  ['/transactions/get', { item: 30, client: 20_000 }],
  ['/transactions/sync', { item: 50, client: 2_500 }],
]

const codes = new Map<string, ErrorCode>([
  ['/accounts/get', 'ACCOUNTS_LIMIT'],
  ['/institutions/get_by_id', 'INSTITUTIONS_GET_BY_ID_LIMIT'],
  ['/transactions/get', 'TRANSACTIONS_LIMIT'],
  ['/transactions/sync', 'TRANSACTIONS_SYNC_LIMIT'],
])

const minuteMs = 60_000

/**
 * Returns a counter of requests in a sliding minute. It refuses those above the limit of their
 * path; refused ones are not counted.
 */
export function createLimiter(
  limits: ReadonlyMap<string, Limit>,
  now: () => Date,
): (path: string, itemId: string | null) => void {
  const times = new Map<string, number[]>()
  return (path, itemId) => {
    const limit = limits.get(path)
    if (!limit) return
    const after = now().getTime() - minuteMs
    const [client, item] = [path, `${path} ${itemId}`].map((key) => {
      const recent = (times.get(key) ?? []).filter((time) => time > after)
      times.set(key, recent)
      return recent
    })
    if ((client?.length ?? 0) >= limit.client || (item?.length ?? 0) >= limit.item) {
      throw new PlaidRefusal(codes.get(path) ?? 'RATE_LIMIT')
    }
    for (const recent of [client, item]) recent?.push(now().getTime())
  }
}
