import { useQueries } from '@tanstack/react-query'
import type { Spending } from '../../api/budget-queries.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { isAwaited, isBillPaid, wasDueToday } from './due-text.ts'
import { paidQuery } from './paid-from-it.tsx'

/**
 * Returns a function for whether payments have paid a bill that is late or was due today; undefined
 * while they load.
 */
export function usePaidLate(all: Spending[]): (of: Spending) => boolean | undefined {
  const reader = useReader()
  const awaited = all.filter((one) => isAwaited(one) || wasDueToday(one, reader))
  const found = useQueries({
    queries: awaited.map((one) => paidQuery(one.bankAccountId, one.spendingId)),
  })
  return (of) => {
    const at = awaited.findIndex(({ spendingId }) => spendingId === of.spendingId)
    const paid = at < 0 ? undefined : found[at]
    if (paid === undefined || paid.isError) return false
    return paid.data && isBillPaid(paid.data, of, reader.timezone)
  }
}
