import { useQuery } from '@tanstack/react-query'
import { Link, Navigate } from '@tanstack/react-router'
import { useState } from 'react'
import { bankAccountsQuery } from '../../api/account-queries.ts'
import { type Spending, spendingQuery } from '../../api/budget-queries.ts'
import { type Forecast as Answer, forecastQuery } from '../../api/forecast-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { CheckField, ChoiceField } from '../../controls/field.tsx'
import rows from '../../controls/rows.module.css'
import { Card, Empty, Screen } from '../../controls/screen.tsx'
import { dayAfter } from '../../format/days.ts'
import { useChosenAccountId, useIsDebt, useReader, useRest } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { forecastWords as words } from '../../words/forecast.ts'
import { ChangeTable } from './change-table.tsx'
import { envelopeLines } from './envelope-lines.ts'
import styles from './forecast.module.css'
import { ForecastCopies } from './forecast-copies.tsx'
import { FreeChart } from './free-chart.tsx'
import { LowestPoint } from './lowest-point.tsx'

/** Forecast of free-to-use: a chart, its lowest point, and every change in a table. */
export function Forecast() {
  const accounts = useQuery(bankAccountsQuery)
  const chosen = useChosenAccountId()
  return (
    <Screen title={words.title} help="forecast">
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
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const [chosen, setChosen] = useState<string[]>([])
  const isShown = ({ spendingId }: { spendingId: string }) => chosen.includes(spendingId)
  const lines = envelopeLines(forecast, spending.filter(isShown))
  const isOfDebt = useIsDebt(bankAccountId)
  const rest = useRest(bankAccountId)
  const name = words.rests[rest]
  const figures = rest === 'owed' ? owedOf(forecast) : forecast
  const part = { forecast: figures, bankAccountId, rest }
  if (forecast.free.length < 2) {
    if (isOfDebt) return <Empty>{words.noneOfDebt}</Empty>
    const action = (
      <Link to="/schedules" className={rows.action}>
        {envelopeWords.toSchedules}
      </Link>
    )
    return <Empty action={action}>{words.none}</Empty>
  }
  return (
    <>
      <Card title={name}>
        <FreeChart {...part} envelopes={lines} />
        <Choice spending={spending} chosen={chosen} choose={setChosen} />
        <LowestPoint {...part} />
      </Card>
      <Card title={words.table({ rest })} aside={<ForecastCopies {...part} spending={spending} />}>
        <ChangeTable {...part} />
      </Card>
    </>
  )
}

/** Returns a forecast of debts: negated, so that they are positive figures. */
function owedOf({ free, lowestFree, ...forecast }: Answer): Answer {
  return {
    ...forecast,
    free: free.map((one) => ({ ...one, free: 0 - one.free })),
    lowestFree: 0 - lowestFree,
    negativeFreeDate: null,
  }
}

interface ChoiceProps {
  spending: Spending[]
  chosen: string[]
  choose: (chosen: string[]) => void
}

/** Choice of the envelopes with a line in the chart, each underlined in the colour of its line. */
function Choice({ spending, chosen, choose }: ChoiceProps) {
  const drawn = spending.filter(({ spendingId }) => chosen.includes(spendingId))
  const lookOf = (one: Spending) => (drawn.includes(one) ? drawn.indexOf(one) % 4 : undefined)
  if (spending.length === 0) return null
  return (
    <fieldset className={styles.choices}>
      <legend>{words.lines}</legend>
      {spending.map((one) => (
        <span key={one.spendingId} data-look={lookOf(one)}>
          <CheckField
            label={one.name}
            checked={chosen.includes(one.spendingId)}
            onChange={({ target: { checked } }) => {
              const others = chosen.filter((id) => id !== one.spendingId)
              choose(checked ? [...others, one.spendingId] : others)
            }}
          />
        </span>
      ))}
    </fieldset>
  )
}
