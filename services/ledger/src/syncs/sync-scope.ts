import { dayMs } from '@coffer/kit/values/time'
import type { SyncedScope } from '../money/money-state.ts'
import type { ProviderItem } from './provider-transaction.ts'
import { postingDaysMax, postingDaysMin } from './sync-match.ts'

/** Returns the scope that reads all transactions which the items of an import may match. */
export function scopeOf(
  items: readonly ProviderItem[],
  source: 'aggregator' | 'feed',
): SyncedScope {
  const [first] = items
  if (first === undefined) return { providerIds: [], alike: null, posted: null }
  const days = daysOf(items)
  const named = items.flatMap((item) => item.pendingProviderTransactionId ?? [])
  return {
    providerIds: [...items.map((item) => item.providerTransactionId), ...named],
    alike: {
      amounts: amountsOf(items),
      from: new Date(days.first - (postingDaysMax + 1) * dayMs),
      to: new Date(days.last - (postingDaysMin - 1) * dayMs),
      providerAccountId: first.providerAccountId,
    },
    posted: source === 'feed' ? postedOf(items.filter(({ isPending }) => isPending)) : null,
  }
}

/** Returns the days and amounts of the posted transactions that pending items may match. */
function postedOf(pending: readonly ProviderItem[]): SyncedScope['posted'] {
  if (pending.length === 0) return null
  const days = daysOf(pending)
  return {
    amounts: amountsOf(pending),
    from: new Date(days.first - dayMs),
    to: new Date(days.last + (postingDaysMax + 1) * dayMs),
  }
}

function daysOf(items: readonly ProviderItem[]): { first: number; last: number } {
  const days = items.map(({ date }) => date.getTime())
  return { first: Math.min(...days), last: Math.max(...days) }
}

function amountsOf(items: readonly ProviderItem[]): bigint[] {
  return [...new Set(items.map(({ amount }) => amount))]
}
