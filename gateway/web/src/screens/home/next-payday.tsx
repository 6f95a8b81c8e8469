import { useQuery } from '@tanstack/react-query'
import { type FundingSchedule, type Spending, spendingQuery } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Card } from '../../controls/screen.tsx'
import { dayOf, formatDay, formatDistance } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import styles from './home.module.css'
import { usePaydays } from './use-paydays.ts'

const shownMax = 3

/** The next paydays, and the envelopes that they fill. */
export function NextPayday({ bankAccountId }: { bankAccountId: string }) {
  const schedules = usePaydays(bankAccountId)
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  return (
    <Card title={homeWords.payday}>
      <Asked query={schedules}>
        {(all) => {
          if (all.length === 0) return <p className={styles.soft}>{homeWords.noPayday}</p>
          const next = all.toSorted((a, b) => a.nextRecurrence.localeCompare(b.nextRecurrence))
          return (
            <ul className={styles.rows}>
              {next.slice(0, shownMax).map((one) => (
                <Payday key={one.fundingScheduleId} schedule={one} spending={spending} />
              ))}
            </ul>
          )
        }}
      </Asked>
    </Card>
  )
}

function Payday({ schedule, spending }: { schedule: FundingSchedule; spending: Spending[] }) {
  const { bankAccountId, fundingScheduleId, name, nextRecurrence, estimatedDeposit } = schedule
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const day = dayOf(nextRecurrence, reader.timezone)
  const filled = spending.filter((one) => {
    const isOwn = one.fundingScheduleId === fundingScheduleId
    return isOwn && !one.isPaused && one.nextContributionAmount > 0
  })
  const sum = filled.reduce((total, one) => total + one.nextContributionAmount, 0)
  return (
    <li>
      <div className={styles.row}>
        <p className={styles.name}>{name}</p>
        <p>{formatDistance(day, reader)}</p>
      </div>
      <div className={styles.row}>
        <p className={styles.soft}>{formatDay(day, reader)}</p>
        <p className={styles.soft}>
          {homeWords.fills(filled.length)} <Amount amount={sum} manner={manner} />
        </p>
      </div>
      {estimatedDeposit !== null && (
        <p className={styles.soft}>
          {homeWords.deposit} <Amount amount={estimatedDeposit} manner={manner} />
        </p>
      )}
    </li>
  )
}
