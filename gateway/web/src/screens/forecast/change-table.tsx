import { useQuery } from '@tanstack/react-query'
import { type Spending, spendingQuery } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import rows from '../../controls/rows.module.css'
import tables from '../../controls/tables/table.module.css'
import { useIsNarrow } from '../../controls/tables/use-narrow.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { withDueDays } from './due-days.ts'

interface Props {
  forecast: Forecast
  bankAccountId: string
  rest: Rest
}

/** Row of the table: a change of free-to-use with its reason. */
interface Change {
  date: string
  day: string
  reason: string
  free: number
}

/** Every change of free-to-use money with its reason: a table, and a list on a phone. */
export function ChangeTable({ forecast, bankAccountId, rest }: Props) {
  const changes = useChanges({ forecast, bankAccountId })
  const manner = useManner(bankAccountId)
  if (useIsNarrow()) {
    return (
      <ul className={rows.rows}>
        {changes.map(({ date, day, reason, free }) => (
          <li key={date} className={rows.row}>
            <div>
              <p className={rows.name}>{day}</p>
              <p className={rows.soft}>{reason}</p>
            </div>
            <div className={rows.figures}>
              <Amount amount={free} manner={manner} />
            </div>
          </li>
        ))}
      </ul>
    )
  }
  return (
    <table className={tables.table}>
      <thead>
        <tr>
          <th scope="col">{words.day}</th>
          <th scope="col">{words.change}</th>
          <th scope="col" className={tables.figure}>
            {words.rests[rest]}
          </th>
        </tr>
      </thead>
      <tbody>
        {changes.map(({ date, day, reason, free }) => (
          <tr key={date}>
            <td className={tables.brief}>{day}</td>
            <td>{reason}</td>
            <td className={tables.figure}>
              <Amount amount={free} manner={manner} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function useChanges({ forecast, bankAccountId }: Omit<Props, 'rest'>): Change[] {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const events = new Map(forecast.events.map((one) => [one.date, one]))
  const reasonOf = ({ date, deposit, contribution, paid }: Forecast['free'][number]) => {
    const due = events.get(date)?.spending.filter((one) => one.transactionAmount > 0) ?? []
    const ids = new Set(due.map(({ spendingId }) => spendingId))
    const all = spending.filter(({ spendingId }) => ids.has(spendingId))
    const namesOf = (some: Spending[]) => some.map(({ name }) => name).join(', ')
    const everyday = namesOf(all.filter(isEveryday))
    const bills = namesOf(all.filter((one) => !isEveryday(one)))
    const reasons = [
      deposit > 0 ? words.deposit({ amount: money(deposit) }) : '',
      contribution > 0 ? words.contribution({ amount: money(contribution) }) : '',
      bills && words.due({ names: bills }),
      everyday && words.spentBy({ names: everyday }),
      paid > 0 ? words.paid({ amount: money(paid) }) : '',
    ]
    return reasons.filter(Boolean).join('; ') || words.now
  }
  return withDueDays(forecast).map((one) => ({
    date: one.date,
    day: formatShortDay(dayOf(one.date, reader.timezone), reader),
    reason: reasonOf(one),
    free: one.free,
  }))
}
