import type { Spending } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { dayAfter, dayOf, formatDay, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { isAwaited, wasDueToday } from './due-text.ts'
import { usePaidLate } from './paid-late.ts'

interface Props {
  spending: Spending
  className?: string | undefined
}

/**
 * Says, from the due date of a bill on, how much money the envelope keeps for it, and until when.
 */
export function LateBill({ spending, className }: Props) {
  const { bankAccountId, graceUntil, graceAmount, lastRecurrence } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const isPaid = usePaidLate([spending])(spending)
  if (graceUntil === null || !isAwaited(spending)) return null
  const due = lastRecurrence === null ? reader.today : dayOf(lastRecurrence, reader.timezone)
  const bill = formatShortDay(due, reader)
  const unpaid = wasDueToday(spending, reader) ? envelopeWords.graceToday : envelopeWords.grace
  const waits = isPaid ? envelopeWords.graceLeft : unpaid
  // `graceUntil` is the midnight after the last day on which a payment takes this money.
  const last = dayAfter(dayOf(graceUntil, reader.timezone), -1)
  return (
    <p className={className}>
      <Amount amount={graceAmount} manner={manner} />{' '}
      {waits({ day: formatDay(last, reader), bill })}
    </p>
  )
}
