import { useQuery } from '@tanstack/react-query'
import { useId, useState } from 'react'
import { type Spending, spendingQuery } from '../../api/budget-queries.ts'
import type { Forecast } from '../../api/forecast-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { WhyButton } from '../../controls/journal/why-button.tsx'
import rows from '../../controls/rows.module.css'
import tables from '../../controls/tables/table.module.css'
import { useIsNarrow } from '../../controls/tables/use-narrow.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import type { Rest } from '../../format/debts.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { withDueDays } from './due-days.ts'
import { useFirstPaydays } from './first-payday-texts.ts'
import styles from './forecast.module.css'

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
  /** Sentences that tell why a first payday differs from later ones; none if it does not. */
  why: readonly string[]
  /** The subject of the sentences, for screen readers. */
  of: string
  free: number
}

/** Every change of free-to-use money with its reason: a table, and a list on a phone. */
export function ChangeTable({ forecast, bankAccountId, rest }: Props) {
  const changes = useChanges({ forecast, bankAccountId })
  const manner = useManner(bankAccountId)
  if (useIsNarrow()) {
    return (
      <ul className={rows.rows}>
        {changes.map(({ date, day, free, ...change }) => (
          <li key={date} className={rows.row}>
            <div>
              <p className={rows.name}>{day}</p>
              <div className={rows.soft}>
                <Reason {...change} />
              </div>
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
        {changes.map(({ date, day, free, ...change }) => (
          <tr key={date}>
            <td className={tables.brief}>{day}</td>
            <td>
              <Reason {...change} />
            </td>
            <td className={tables.figure}>
              <Amount amount={free} manner={manner} />
            </td>
          </tr>
        ))}
      </tbody>
    </table>
  )
}

function Reason({ reason, why, of }: Pick<Change, 'reason' | 'why' | 'of'>) {
  const [isShown, setShown] = useState(false)
  const id = useId()
  if (why.length === 0) return reason
  return (
    <>
      {reason} <WhyButton kind="quiet" of={of} controls={id} isShown={isShown} onShow={setShown} />
      <ul id={id} hidden={!isShown} className={styles.why}>
        {why.map((sentence) => (
          <li key={sentence}>{sentence}</li>
        ))}
      </ul>
    </>
  )
}

function useChanges({ forecast, bankAccountId }: Omit<Props, 'rest'>): Change[] {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const firsts = useFirstPaydays(forecast, bankAccountId)
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
    why: firsts.get(one.date)?.sentences ?? [],
    of: words.ofFirst({ amount: money(one.contribution) }),
    free: one.free,
  }))
}
