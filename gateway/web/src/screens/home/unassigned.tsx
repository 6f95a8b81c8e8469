import { useQuery } from '@tanstack/react-query'
import {
  type Spending,
  spendingQuery,
  type Transaction,
  unassignedQuery,
} from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import styles from './home.module.css'

const shownMax = 6

/** The newest payments that no envelope paid for, each with the choice of one. */
export function Unassigned({ bankAccountId }: { bankAccountId: string }) {
  const newest = useQuery(unassignedQuery(bankAccountId))
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  if (spending.length === 0) return null
  return (
    <Card title={homeWords.unassigned}>
      <Asked query={newest}>
        {(all) => {
          const waiting = all.filter(({ amount }) => amount > 0)
          if (waiting.length === 0) return <p className={styles.soft}>{homeWords.unassignedNone}</p>
          return (
            <ul className={styles.rows}>
              {waiting.slice(0, shownMax).map((one) => (
                <Payment key={one.transactionId} transaction={one} spending={spending} />
              ))}
            </ul>
          )
        }}
      </Asked>
    </Card>
  )
}

function Payment({ transaction, spending }: { transaction: Transaction; spending: Spending[] }) {
  const { bankAccountId, transactionId, date, amount, originalName } = transaction
  const name = transaction.name ?? originalName
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { send, isSending, fault } = useChange((spendingId: string) => {
    return coffer.updateTransaction({
      path: { bankAccountId, transactionId },
      body: { spendingId },
    })
  })
  return (
    <li>
      <div className={styles.payment}>
        <p className={styles.soft}>{formatShortDay(dayOf(date, reader.timezone), reader)}</p>
        <p className={styles.name}>{name}</p>
        <div>
          <select
            aria-label={homeWords.assign(name)}
            value=""
            disabled={isSending}
            onChange={(event) => send(event.target.value)}
          >
            <option value="">{homeWords.fromFree}</option>
            {spending.map((one) => (
              <option key={one.spendingId} value={one.spendingId}>
                {one.name}
              </option>
            ))}
          </select>
        </div>
        <Amount amount={amount} manner={manner} as="flow" />
      </div>
      {fault && <FaultBanner fault={fault} />}
    </li>
  )
}
