import { useQueries } from '@tanstack/react-query'
import type { Spending, Transaction } from '../../api/budget-queries.ts'
import { dayOf } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { isAwaited } from './due-text.ts'
import { paidQuery } from './paid-from-it.tsx'

/**
 * Returns whether a payment has taken from an envelope since the due date whose money still waits:
 * a bill that cost less is paid. Undefined until it is known.
 */
export function usePaidLate(all: Spending[]): (of: Spending) => boolean | undefined {
  const { timezone } = useReader()
  const awaited = all.filter(isAwaited)
  const found = useQueries({
    queries: awaited.map((one) => paidQuery(one.bankAccountId, one.spendingId)),
  })
  return (of) => {
    const at = awaited.findIndex(({ spendingId }) => spendingId === of.spendingId)
    const paid = at < 0 ? undefined : found[at]
    if (paid === undefined || paid.isError) return false
    return paid.data?.some((one) => isSinceDue(one, of, timezone))
  }
}

function isSinceDue(
  { date, spendingAmount }: Transaction,
  { lastRecurrence }: Spending,
  timezone: string,
): boolean {
  const isTaken = (spendingAmount ?? 0) > 0
  return (
    isTaken && lastRecurrence !== null && dayOf(date, timezone) >= dayOf(lastRecurrence, timezone)
  )
}
