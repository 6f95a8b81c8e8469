import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { type Forecast as Answer, forecastQuery } from '../../api/forecast-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { ChoiceField } from '../../controls/field.tsx'
import { Card, Screen } from '../../controls/screen.tsx'
import { dayAfter, dayOf, formatDay } from '../../format/days.ts'
import { formatMoney } from '../../format/money.ts'
import { useChosenAccountId, useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { ChangeTable } from './change-table.tsx'
import styles from './forecast.module.css'
import { FreeChart } from './free-chart.tsx'

/** Free-to-use money ahead: a chart, its lowest point, and every change in a table. */
export function Forecast() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen title={words.title}>
      <Asked query={accounts} lines={8}>
        {() => (chosen === null ? <Navigate to="/setup" /> : <Ahead bankAccountId={chosen} />)}
      </Asked>
    </Screen>
  )
}

function Ahead({ bankAccountId }: { bankAccountId: string }) {
  const { today } = useReader()
  const [months, setMonths] = useState('3')
  const forecast = useQuery(
    forecastQuery(bankAccountId, dayAfter(today, Math.min(Number(months) * 30, 360))),
  )
  return (
    <>
      <div className={styles.horizon}>
        <ChoiceField
          label={words.horizon}
          value={months}
          options={Object.entries(words.horizons).map(([value, text]) => ({ value, text }))}
          onChange={setMonths}
        />
      </div>
      <Asked query={forecast} lines={10}>
        {(found) => <Parts forecast={found} bankAccountId={bankAccountId} />}
      </Asked>
    </>
  )
}

function Parts({ forecast, bankAccountId }: { forecast: Answer; bankAccountId: string }) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { free, lowestFree, lowestFreeDate, negativeFreeDate } = forecast
  const dayTextOf = (instant: string) => formatDay(dayOf(instant, reader.timezone), reader)
  if (free.length < 2) {
    return (
      <p>
        {words.none} <Link to="/schedules">{envelopeWords.toSchedules}</Link>
      </p>
    )
  }
  return (
    <>
      <Card title={words.free}>
        <FreeChart forecast={forecast} bankAccountId={bankAccountId} />
        <p>
          {words.lowest(formatMoney(lowestFree, manner), dayTextOf(lowestFreeDate))}{' '}
          {negativeFreeDate && (
            <strong className={styles.short}>{words.negative(dayTextOf(negativeFreeDate))}</strong>
          )}
        </p>
      </Card>
      <Card title={words.table}>
        <ChangeTable forecast={forecast} bankAccountId={bankAccountId} />
      </Card>
    </>
  )
}
