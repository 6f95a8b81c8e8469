import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type FundingSchedule, spendingQuery } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import rows from '../../controls/rows.module.css'
import { useManner } from '../../shell/chosen-account.ts'
import { scheduleWords as words } from '../../words/schedules.ts'
import { useContributions } from '../envelopes/contribution.ts'

/** The envelopes that a payday fills, with the next amount of each, and the sum. */
export function PaydayEnvelopes({ schedule }: { schedule: FundingSchedule }) {
  const { bankAccountId, fundingScheduleId } = schedule
  const manner = useManner(bankAccountId)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const contributionOf = useContributions(bankAccountId)
  const filled = spending.filter((one) => one.fundingScheduleId === fundingScheduleId)
  const sum = filled.reduce((total, one) => total + contributionOf(one), 0)
  if (filled.length === 0) return <p className={rows.soft}>{words.fillsNothing}</p>
  return (
    <div className={rows.summed}>
      <p>
        {words.fills} <Amount amount={sum} manner={manner} />
      </p>
      <ul className={rows.rows}>
        {filled.map((one) => (
          <li key={one.spendingId} className={rows.row}>
            <Link
              to="/envelopes/$spendingId"
              params={{ spendingId: one.spendingId }}
              search={{ account: bankAccountId }}
              className={rows.name}
            >
              {one.name}
            </Link>
            <span className={rows.figures}>
              {one.isPaused ? (
                <span className={rows.soft}>{words.paused}</span>
              ) : (
                <Amount amount={contributionOf(one)} manner={manner} />
              )}
            </span>
          </li>
        ))}
      </ul>
    </div>
  )
}
