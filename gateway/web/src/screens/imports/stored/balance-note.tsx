import { useQuery } from '@tanstack/react-query'
import { bankAccountsQuery } from '../../../api/account-queries.ts'
import rows from '../../../controls/rows.module.css'
import { useMoneyText } from '../../../controls/texts/money-text.ts'
import { useManner } from '../../../shell/chosen-account.ts'
import { importWords as words } from '../../../words/imports.ts'

interface Props {
  bankAccountId: string
  /** Current balance that the file states, in minor units. */
  stated: number | null | undefined
  isStored?: boolean
}

/** Says whether a file changes the balance: its rows never do (docs/files.md#balances). */
export function BalanceNote({ bankAccountId, stated, isStored = false }: Props) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const money = useMoneyText(useManner(bankAccountId))
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  if (account === undefined || stated === account.currentBalance) return null
  const now = money(account.currentBalance)
  const text =
    stated === null || stated === undefined
      ? words.balanceStays({ now })
      : (isStored ? words.balanceDiffers : words.balanceStated)({ now, stated: money(stated) })
  return <p className={rows.soft}>{text}</p>
}
