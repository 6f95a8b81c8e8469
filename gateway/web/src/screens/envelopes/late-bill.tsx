import type { Spending } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { dayOf, formatDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { isAwaited, wasDueToday } from './due-text.ts'

interface Props {
  spending: Spending
  className?: string | undefined
}

/** Money of the former period that waits for its bill, from the day of the bill on. */
export function LateBill({ spending, className }: Props) {
  const { bankAccountId, graceUntil, graceAmount } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  if (graceUntil === null || !isAwaited(spending)) return null
  const waits = wasDueToday(spending, reader) ? envelopeWords.graceToday : envelopeWords.grace
  return (
    <p className={className}>
      <Amount amount={graceAmount} manner={manner} />{' '}
      {waits({ day: formatDay(dayOf(graceUntil, reader.timezone), reader) })}
    </p>
  )
}
