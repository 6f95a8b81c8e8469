import { useQuery } from '@tanstack/react-query'
import type { Payday } from '../../api/account-queries.ts'
import { incomeQuery, spendingQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatDay } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import { wageFrom } from './wage-days.ts'

/** Minimum share of the expected deposit from which a deposit counts as the wage. */
const wageShare = 0.75

interface Said {
  day: string
  isToday: boolean
  amount: string
  rest: Rest
  isFilled: boolean
}

interface Props {
  payday: Payday
  as?: 'p' | 'li'
  className?: string | undefined
  /** The sentence about the day and the amount of the wage; by default that of the home screen. */
  say?: (of: Said) => string
  /** Number of days after the payday from which the absence is shown; by default from its day. */
  after?: number
}

/** Says after a payday that its wage has not arrived, as the reason for less free-to-use. */
export function MissingWage({
  payday,
  as: Line = 'p',
  className,
  say = homeWords.noIncome,
  after = 0,
}: Props) {
  const { bankAccountId, fundingScheduleId, lastRecurrence, estimatedDeposit } = payday
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const rest = useRest(bankAccountId)
  const day = lastRecurrence === null ? null : dayOf(lastRecurrence, reader.timezone)
  const from = wageFrom(day, reader.today, after)
  const wage = estimatedDeposit ?? 0
  const { data: income } = useQuery({
    ...incomeQuery(bankAccountId, {
      from: from ?? reader.today,
      least: Math.ceil(wage * wageShare),
    }),
    enabled: from !== null && wage > 0,
  })
  const { data: envelopes = [] } = useQuery(spendingQuery(bankAccountId))
  if (day === null || from === null || income === undefined || income.length > 0) return null
  const isFilled = envelopes.some(
    (one) =>
      one.fundingScheduleId === fundingScheduleId &&
      !one.isPaused &&
      dayOf(one.createdAt, reader.timezone) <= day,
  )
  return (
    <Line className={className}>
      {say({
        day: formatDay(day, reader),
        isToday: day === reader.today,
        amount: money(wage),
        rest,
        isFilled,
      })}
    </Line>
  )
}
