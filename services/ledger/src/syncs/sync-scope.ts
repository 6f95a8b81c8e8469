import { dayMs } from '@coffer/kit/values/time'
import type { SyncedScope } from '../money/money-state.ts'
import { isOfWholeDay, type Listed, type ProviderItem } from './provider-transaction.ts'
import { postingDaysMax, postingDaysMin } from './sync-match.ts'

/** Returns the scope that reads all transactions which the items of an import may match. */
export function scopeOf(
  items: readonly ProviderItem[],
  { source, listed }: { source: 'aggregator' | 'feed'; listed: Listed },
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
    posted: source === 'feed' ? postedOf(items, listed) : null,
  }
}

/** Returns the days and amounts of posted transactions that pending or renewed items may match. */
function postedOf(items: readonly ProviderItem[], listed: Listed): SyncedScope['posted'] {
  const some = items.filter((item) => item.isPending || isOfWholeDay(listed, item))
  if (some.length === 0) return null
  const days = daysOf(some)
  const later = some.some(({ isPending }) => isPending) ? postingDaysMax + 1 : 1
  return {
    amounts: amountsOf(some),
    from: new Date(days.first - dayMs),
    to: new Date(days.last + later * dayMs),
  }
}

function daysOf(items: readonly ProviderItem[]): { first: number; last: number } {
  const days = items.map(({ date }) => date.getTime())
  return { first: Math.min(...days), last: Math.max(...days) }
}

function amountsOf(items: readonly ProviderItem[]): bigint[] {
  return [...new Set(items.map(({ amount }) => amount))]
}
