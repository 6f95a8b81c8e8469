import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bankAccountOverviewQuery, type Payday } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Card } from '../../controls/screen.tsx'
import { dayOf, formatDay, formatDistance } from '../../format/days.ts'
import { isOverdrawn } from '../../format/debts.ts'
import { useIsDebt, useManner, useReader } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import { usePaydays } from '../schedules/use-paydays.ts'
import styles from './home.module.css'
import { MissingWage } from './missing-wage.tsx'

const shownMax = 3

/** The next paydays with the amounts that they move into envelopes. */
export function NextPayday({ bankAccountId }: { bankAccountId: string }) {
  const schedules = usePaydays(bankAccountId)
  const { data: spending } = useQuery(spendingQuery(bankAccountId))
  const isOfDebt = useIsDebt(bankAccountId)
  // Nothing is shown for a credit card or a loan that has neither envelopes nor paydays.
  if (isOfDebt && !spending?.length && schedules.data?.length === 0) return null
  return (
    <Card title={homeWords.payday}>
      <Asked query={schedules}>
        {(all) => {
          if (all.length === 0) return <p className={styles.soft}>{homeWords.noPayday}</p>
          const next = all.toSorted((a, b) => a.nextRecurrence.localeCompare(b.nextRecurrence))
          return (
            <ul className={styles.rows}>
              {next.slice(0, shownMax).map((one) => (
                <PaydayRow key={one.fundingScheduleId} payday={one} />
              ))}
            </ul>
          )
        }}
      </Asked>
    </Card>
  )
}

function PaydayRow({ payday }: { payday: Payday }) {
  const { bankAccountId, name, nextRecurrence, estimatedDeposit, nextFunding } = payday
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { data: overview } = useQuery(bankAccountOverviewQuery(bankAccountId))
  // Below zero, the figure of free-to-use says it, from the payday itself.
  const isSaid = overview !== undefined && isOverdrawn(overview.balance)
  const day = dayOf(nextRecurrence, reader.timezone)
  return (
    <li>
      <div className={styles.row}>
        <p className={styles.name}>
          <Link to="/schedules" search={{ account: bankAccountId }}>
            {name}
          </Link>
        </p>
        <p>{formatDistance(day, reader)}</p>
      </div>
      <div className={styles.row}>
        <p className={styles.soft}>{formatDay(day, reader)}</p>
        {nextFunding && (
          <p className={styles.soft}>
            {homeWords.fills({ count: nextFunding.envelopeCount })}{' '}
            {nextFunding.envelopeCount > 0 && (
              <Amount amount={nextFunding.contribution} manner={manner} />
            )}
          </p>
        )}
      </div>
      {estimatedDeposit !== null && (
        <p className={styles.soft}>
          {homeWords.deposit} <Amount amount={estimatedDeposit} manner={manner} />
        </p>
      )}
      {!isSaid && <MissingWage payday={payday} after={1} className={styles.soft} />}
    </li>
  )
}
