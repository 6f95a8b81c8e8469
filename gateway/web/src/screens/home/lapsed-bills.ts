import { useQueries } from '@tanstack/react-query'
import type { Spending } from '../../api/budget-queries.ts'
import { type HistoryEntry, spendingHistoryQuery } from '../../api/history-queries.ts'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { dayAfter, dayOf } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { findEndedGrace, isBillPaid } from '../envelopes/due-text.ts'
import { paidQuery } from '../envelopes/paid-from-it.tsx'

/** User ID of the jobs of the server. */
const systemId = 'user_system'

/**
 * Returns a function for the end of the grace of an envelope's last bill, if no payment of that
 * bill is recorded: its journal entry until the next due date, null if there is none, undefined
 * while it is unknown.
 */
export function useLapsedBills(all: Spending[]): (of: Spending) => HistoryEntry | null | undefined {
  const { today, timezone } = useReader()
  const past = all.filter((one) => {
    const { lastRecurrence: last, graceUntil, graceDays } = one
    if (last === null || graceUntil !== null || graceDays === 0 || isEveryday(one)) return false
    return dayAfter(dayOf(last, timezone), graceDays) < today
  })
  const histories = useQueries({
    queries: past.map((one) => spendingHistoryQuery(one.bankAccountId, one.spendingId)),
  })
  const endOf = (at: number, { lastRecurrence }: Spending) => {
    const ended = findEndedGrace(histories[at]?.data ?? [], lastRecurrence)
    // A user ends a grace by marking the bill as paid.
    return (ended?.createdBy ?? systemId) === systemId ? ended : undefined
  }
  const ends = past.map((one, at) => endOf(at, one))
  const payments = useQueries({
    queries: past.map((one, at) => ({
      ...paidQuery(one.bankAccountId, one.spendingId),
      enabled: ends[at] !== undefined,
    })),
  })
  return (of) => {
    const at = past.findIndex(({ spendingId }) => spendingId === of.spendingId)
    if (at < 0 || histories[at]?.isError) return null
    const [end, paid] = [ends[at], payments[at]]
    if (end === undefined) return histories[at]?.isPending ? undefined : null
    if (paid?.data === undefined) return paid?.isError ? null : undefined
    return isBillPaid(paid.data, of, timezone) ? null : end
  }
}
