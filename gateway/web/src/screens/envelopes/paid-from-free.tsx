import { useQuery } from '@tanstack/react-query'
import type { Spending } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayAfter, dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { paidQuery } from './paid-from-it.tsx'

/**
 * Asks the user to mark the bill as paid, because free-to-use has paid a part of it: a bill counts
 * as paid automatically only by money out of the envelope.
 */
export function PaidFromFree({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId, targetAmount, periodSpentAmount, graceDays } = spending
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const { data: paid = [] } = useQuery(paidQuery(bankAccountId, spendingId))
  const { lastRecurrence, createdAt } = spending
  // Payments up to `graceDays` after the last due date belong to the bill of that date. Payments
  // for the next bill begin a day later.
  const first =
    lastRecurrence === null
      ? dayOf(createdAt, reader.timezone)
      : dayAfter(dayOf(lastRecurrence, reader.timezone), graceDays + 1)
  const own = paid.filter(({ date, amount }) => amount > 0 && dayOf(date, reader.timezone) >= first)
  const amount = own.reduce((sum, one) => sum + one.amount, 0)
  const free = own.reduce((sum, one) => sum + one.amount - (one.spendingAmount ?? 0), 0)
  if (amount < targetAmount || periodSpentAmount >= targetAmount || free === 0) return null
  const day = formatShortDay(first, reader)
  return <p>{words.billPaidFromFree({ amount: money(amount), free: money(free), day })}</p>
}
