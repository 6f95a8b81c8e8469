import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bankAccountOverviewQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { isDebt } from '../../format/debts.ts'
import { startWords as words } from '../../words/start.ts'
import { usePaydays } from '../schedules/use-paydays.ts'

/**
 * A link to the set-up of a bank account's plan, until it has a payday and an envelope. Cards and
 * loans need no plan, as money is allocated where it comes in.
 */
export function Resume({ bankAccountId }: { bankAccountId: string }) {
  const { data: schedules } = usePaydays(bankAccountId)
  const { data: spending } = useQuery(spendingQuery(bankAccountId))
  const { data: overview } = useQuery(bankAccountOverviewQuery(bankAccountId))
  if (overview === undefined || isDebt(overview.bankAccount)) return null
  if (schedules === undefined || spending === undefined) return null
  if (schedules.length > 0 && spending.length > 0) return null
  return (
    <Card title={words.resume}>
      <p>{schedules.length === 0 ? words.resumePayday : words.resumeEnvelopes}</p>
      <p>
        <Link className={rows.action} to="/setup/plan" search={{ account: bankAccountId }}>
          {words.goOn}
        </Link>
      </p>
    </Card>
  )
}
