import { useQuery } from '@tanstack/react-query'
import type { Payday } from '../../api/account-queries.ts'
import { incomeQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayAfter, dayOf, daysBetween, formatDay } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'

/**
 * Days before a payday from which its wage is expected, and days after it during which its absence
 * is shown.
 */
const days = { early: 4, missed: 10 }

/** Minimum share of the expected deposit from which a deposit counts as the wage. */
const wageShare = 0.75

interface Props {
  payday: Payday
  as?: 'p' | 'li'
  className?: string | undefined
  /** The sentence about the day and the amount of the wage; by default that of the home screen. */
  say?: (of: { day: string; amount: string; rest: Rest }) => string
}

/** Says after a payday that its wage has not arrived, as the reason for less free-to-use. */
export function MissingWage({
  payday,
  as: Line = 'p',
  className,
  say = homeWords.noIncome,
}: Props) {
  const { bankAccountId, lastRecurrence, estimatedDeposit } = payday
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const rest = useRest(bankAccountId)
  const day = lastRecurrence === null ? null : dayOf(lastRecurrence, reader.timezone)
  const isAsked = day !== null && daysBetween(day, reader.today) <= days.missed
  const wage = estimatedDeposit ?? 0
  const { data: income } = useQuery({
    ...incomeQuery(bankAccountId, {
      from: dayAfter(day ?? reader.today, -days.early),
      least: Math.ceil(wage * wageShare),
    }),
    enabled: isAsked && wage > 0,
  })
  if (day === null || income === undefined || income.length > 0) return null
  return (
    <Line className={className}>
      {say({ day: formatDay(day, reader), amount: money(wage), rest })}
    </Line>
  )
}
