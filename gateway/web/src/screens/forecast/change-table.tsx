import { useQuery } from '@tanstack/react-query'
import { spendingQuery } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { formatMoney } from '../../format/money.ts'
import { usePreferences } from '../../preferences/preferences.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { frameWords } from '../../words/frame.ts'
import styles from './forecast.module.css'

interface Props {
  forecast: Forecast
  bankAccountId: string
}

/** Every change of free-to-use money with its reason, and what the envelopes hold after it. */
export function ChangeTable({ forecast, bankAccountId }: Props) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { areAmountsHidden } = usePreferences()
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const nameOf = new Map(spending.map(({ spendingId, name }) => [spendingId, name]))
  const events = new Map(forecast.events.map((one) => [one.date, one]))
  const money = (amount: number) =>
    areAmountsHidden ? `(${frameWords.hidden})` : formatMoney(amount, manner)
  const reasonOf = ({ date, deposit, contribution, paid }: Forecast['free'][number]) => {
    const due = events.get(date)?.spending.filter((one) => one.transactionAmount > 0) ?? []
    const names = due.flatMap(({ spendingId }) => nameOf.get(spendingId) ?? [])
    const reasons = [
      deposit > 0 ? words.deposit(money(deposit)) : '',
      contribution > 0 ? words.contribution(money(contribution)) : '',
      names.length > 0 ? words.due(names.join(', ')) : '',
      paid > 0 ? words.paid(money(paid)) : '',
    ]
    return reasons.filter(Boolean).join('; ') || words.now
  }
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it sideways
    <section className={styles.scroll} tabIndex={0} aria-label={words.table}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{words.day}</th>
            <th scope="col">{words.change}</th>
            <th scope="col">{words.after}</th>
          </tr>
        </thead>
        <tbody>
          {forecast.free.map((one) => (
            <tr key={one.date}>
              <td>{formatShortDay(dayOf(one.date, reader.timezone), reader)}</td>
              <td>{reasonOf(one)}</td>
              <td>
                <Amount amount={one.free} manner={manner} />
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
