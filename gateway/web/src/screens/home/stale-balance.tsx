import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BankAccount } from '../../api/account-queries.ts'
import { importedMax, importedQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayAfter, dayOf, formatDay } from '../../format/days.ts'
import { useIsManual, useManner, useReader } from '../../shell/chosen-account.ts'
import { toEdit } from '../../shell/opened-form.ts'
import { homeWords } from '../../words/home.ts'

interface Props {
  bankAccount: BankAccount
  as?: 'p' | 'li'
}

/**
 * Says that the balance is older than imported transactions: these do not move it. Transactions of
 * its own day are left out, because the balance may include them.
 */
export function StaleBalance({ bankAccount, as: Line = 'p' }: Props) {
  const { bankAccountId, balancesAsOf } = bankAccount
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const isPossible = useIsManual(bankAccountId) && balancesAsOf !== null
  const day = balancesAsOf === null ? reader.today : dayOf(balancesAsOf, reader.timezone)
  const { data: since = [] } = useQuery({
    ...importedQuery(bankAccountId, dayAfter(day, 1)),
    enabled: isPossible && day < reader.today,
  })
  const sum = since.reduce((all, { amount }) => all + amount, 0)
  if (sum === 0) return null
  const count = since.length
  const values = {
    count,
    isExact: count < importedMax,
    isOut: sum > 0,
    amount: money(Math.abs(sum)),
  }
  return (
    <Line>
      {homeWords.balanceOf({ day: formatDay(day, reader), ...values })}{' '}
      <Link {...toEdit(bankAccountId)}>{homeWords.changeBalance}</Link>
    </Line>
  )
}
