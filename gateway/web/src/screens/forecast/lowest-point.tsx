import { useId, useState } from 'react'
import type { Forecast } from '../../api/forecast-queries.ts'
import { WhyButton } from '../../controls/journal/why-button.tsx'
import rows from '../../controls/rows.module.css'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatDay } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { MissingWage } from '../home/missing-wage.tsx'
import { usePaydays } from '../schedules/use-paydays.ts'
import styles from './forecast.module.css'

interface Props {
  forecast: Forecast
  bankAccountId: string
  rest: Rest
}

/** The lowest amount of free-to-use, the first day on which it is negative, and the reasons. */
export function LowestPoint({ forecast, bankAccountId, rest }: Props) {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const { data: paydays = [] } = usePaydays(bankAccountId)
  const [isWhyShown, setWhyShown] = useState(false)
  const id = useId()
  const { lowestFree, lowestFreeDate, negativeFreeDate } = forecast
  const dayTextOf = (instant: string) => formatDay(dayOf(instant, reader.timezone), reader)
  const lowest = words.lowest({
    rest,
    amount: money(lowestFree),
    day: dayTextOf(lowestFreeDate),
  })
  return (
    <>
      <div className={rows.toolbar}>
        <p>
          {lowest}{' '}
          {negativeFreeDate && (
            <strong className={styles.short}>
              {words.negative({ day: dayTextOf(negativeFreeDate) })}
            </strong>
          )}
        </p>
        <WhyButton
          kind="quiet"
          of={lowest}
          controls={id}
          isShown={isWhyShown}
          onShow={setWhyShown}
        />
      </div>
      {paydays.map((one) => (
        <MissingWage key={one.fundingScheduleId} payday={one} say={words.noIncome} />
      ))}
      <ul id={id} hidden={!isWhyShown} className={styles.why}>
        {reasonsOf(forecast, rest, money).map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  )
}

/** Returns the sums of all changes of free-to-use until its lowest point, as sentences. */
function reasonsOf(
  { free, lowestFree, lowestFreeDate }: Forecast,
  rest: Rest,
  money: (amount: number) => string,
): string[] {
  const [now, ...changes] = free
  const until = changes.filter(({ date }) => date <= lowestFreeDate)
  const sumOf = (part: 'deposit' | 'contribution' | 'paid') =>
    until.reduce((sum, change) => sum + change[part], 0)
  if (now === undefined || until.length === 0) return [words.lowestNow({ rest })]
  const [deposit, contribution, paid] = [sumOf('deposit'), sumOf('contribution'), sumOf('paid')]
  return [
    words.whyNow({ rest, amount: money(now.free) }),
    ...(deposit > 0 ? [words.whyDeposit({ amount: money(deposit) })] : []),
    ...(contribution > 0 ? [words.whyContribution({ amount: money(contribution) })] : []),
    ...(paid > 0 ? [words.whyPaid({ amount: money(paid) })] : []),
    words.whyLowest({ rest, amount: money(lowestFree) }),
  ]
}
