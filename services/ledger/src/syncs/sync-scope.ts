import { dayMs } from '@coffer/kit/values/time'
import type { SyncedScope } from '../money/money-state.ts'
import { isOfWholeDay, type Listed, type ProviderRow } from './provider-transaction.ts'
import { postingDaysMax, postingDaysMin } from './sync-match.ts'

/** Returns the scope that reads all transactions which the rows of an import may match. */
export function scopeOf(
  rows: readonly ProviderRow[],
  { source, listed }: { source: 'aggregator' | 'feed'; listed: Listed },
): SyncedScope {
  const [first] = rows
  if (first === undefined) return { providerIds: [], alike: null, posted: null, tips: null }
  const days = daysOf(rows)
  const named = rows.flatMap((row) => row.pendingProviderTransactionId ?? [])
  return {
    providerIds: [...rows.map((row) => row.providerTransactionId), ...named],
    alike: {
      amounts: amountsOf(rows),
      from: new Date(days.first - (postingDaysMax + 1) * dayMs),
      to: new Date(days.last - (postingDaysMin - 1) * dayMs),
      providerAccountId: first.providerAccountId,
    },
    posted: source === 'feed' ? postedOf(rows, listed) : null,
    tips: tipsOf(rows),
  }
}

/** Returns the days and amounts of posted transactions that pending or renewed rows may match. */
function postedOf(rows: readonly ProviderRow[], listed: Listed): SyncedScope['posted'] {
  const some = rows.filter((row) => row.isPending || isOfWholeDay(listed, row))
  if (some.length === 0) return null
  const days = daysOf(some)
  const later = some.some(({ isPending }) => isPending) ? postingDaysMax + 1 : 1
  return {
    amounts: amountsOf(some),
    from: new Date(days.first - dayMs),
    to: new Date(days.last + later * dayMs),
  }
}

/** Returns the days of pending transactions that posted rows with a tip may join. */
function tipsOf(rows: readonly ProviderRow[]): SyncedScope['tips'] {
  const posted = rows.filter(({ isPending }) => !isPending)
  if (posted.length === 0) return null
  const days = daysOf(posted)
  return {
    from: new Date(days.first - (postingDaysMax + 1) * dayMs),
    to: new Date(days.last - (postingDaysMin - 1) * dayMs),
  }
}

function daysOf(rows: readonly ProviderRow[]): { first: number; last: number } {
  const days = rows.map(({ date }) => date.getTime())
  return { first: Math.min(...days), last: Math.max(...days) }
}

function amountsOf(rows: readonly ProviderRow[]): bigint[] {
  return [...new Set(rows.map(({ amount }) => amount))]
}
