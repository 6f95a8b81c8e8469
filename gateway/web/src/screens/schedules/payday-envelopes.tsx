import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FundingSchedule, spendingQuery } from '../../api/budget-queries.ts'
import { forecastQuery } from '../../api/forecast-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import rows from '../../controls/rows.module.css'
import { dayAfter, dayOf } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { scheduleWords as words } from '../../words/schedules.ts'

/** Days that a forecast may look ahead. */
const daysMax = 360

/**
 * The envelopes that a payday fills, with the amount that each gets next, and the sum. The amounts
 * are those of the forecast: a bill that is due before the payday is paid by then.
 */
export function PaydayEnvelopes({ schedule }: { schedule: FundingSchedule }) {
  const { bankAccountId, fundingScheduleId, nextRecurrence } = schedule
  const { timezone, today } = useReader()
  const manner = useManner(bankAccountId)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const day = dayOf(nextRecurrence, timezone)
  const last = dayAfter(today, daysMax)
  const { data: forecast } = useQuery({
    ...forecastQuery(bankAccountId, day),
    enabled: day <= last,
  })
  const event = forecast?.events.find(({ date }) => date === nextRecurrence)
  const shares = new Map(
    event?.spending.map((one) => [one.spendingId, one.heldContribution] as const),
  )
  const filled = spending.filter((one) => one.fundingScheduleId === fundingScheduleId)
  const sum = filled.reduce((total, one) => total + (shares.get(one.spendingId) ?? 0), 0)
  if (filled.length === 0) return <p className={rows.soft}>{words.fillsNothing}</p>
  return (
    <div className={rows.summed}>
      {event && (
        <p>
          {words.fills} <Amount amount={sum} manner={manner} />
        </p>
      )}
      <ul className={rows.rows}>
        {filled.map(({ spendingId, name, isPaused }) => (
          <li key={spendingId} className={rows.row}>
            <Link
              to="/envelopes/$spendingId"
              params={{ spendingId }}
              search={{ account: bankAccountId }}
              className={rows.name}
            >
              {name}
            </Link>
            <span className={rows.figures}>
              {isPaused && <span className={rows.soft}>{words.paused}</span>}
              {event && !isPaused && (
                <Amount amount={shares.get(spendingId) ?? 0} manner={manner} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
