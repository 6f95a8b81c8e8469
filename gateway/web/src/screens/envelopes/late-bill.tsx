import type { Spending } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { dayOf, formatDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

/** Returns whether the envelope keeps money for a bill whose due date has passed. */
export function isLate({ graceUntil, graceAmount }: Spending): boolean {
  return graceUntil !== null && graceAmount > 0
}

interface Props {
  spending: Spending
  className?: string | undefined
}

/** Money of the former period that waits for its late bill. */
export function LateBill({ spending, className }: Props) {
  const { bankAccountId, graceUntil, graceAmount } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  if (graceUntil === null || !isLate(spending)) return null
  return (
    <p className={className}>
      <Amount amount={graceAmount} manner={manner} />{' '}
      {words.grace({ day: formatDay(dayOf(graceUntil, reader.timezone), reader) })}
    </p>
  )
}
