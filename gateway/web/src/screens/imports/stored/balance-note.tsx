import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bankAccountsQuery } from '../../../api/account-queries.ts'
import rows from '../../../controls/rows.module.css'
import { useMoneyText } from '../../../controls/texts/money-text.ts'
import { useManner } from '../../../shell/chosen-account.ts'
import { importWords as words } from '../../../words/imports.ts'

interface Props {
  bankAccountId: string
  /** Current balance that the file states, in minor units. */
  stated: number | null | undefined
  /** The import: still to come, with no new row or an older balance, which stays, or over. */
  is: 'new' | 'known' | 'older' | 'stored'
}

/** Says whether a file changes the balance: its rows never do (docs/files.md#balances). */
export function BalanceNote({ bankAccountId, stated, is }: Props) {
  const { data: accounts = [] } = useQuery(bankAccountsQuery)
  const money = useMoneyText(useManner(bankAccountId))
  const account = accounts.find((one) => one.bankAccountId === bankAccountId)
  if (account === undefined) return null
  const { currentBalance } = account
  const isStated = stated !== null && stated !== undefined
  const values = { now: money(currentBalance), stated: isStated ? money(stated) : '' }
  const text = textOf({ isSame: stated === currentBalance, isStated, is })(values)
  return (
    <p className={rows.soft}>
      {text}{' '}
      {is === 'stored' && stated !== currentBalance && (
        <Link to="/accounts">{words.changeBalance}</Link>
      )}
    </p>
  )
}

interface Found extends Pick<Props, 'is'> {
  isSame: boolean
  isStated: boolean
}

function textOf({ isSame, isStated, is }: Found) {
  if (!isStated) return words.balanceStays
  if (is === 'stored') return isSame ? words.balanceSet : words.balanceDiffers
  if (isSame) return words.balanceSame
  if (is === 'older') return words.balanceOlder
  return is === 'known' ? words.balanceKept : words.balanceStated
}

/** Returns the effect of an import to come on the balance. */
export function effectOn(preview: { newCount: number; setsBalances?: boolean }): Props['is'] {
  if (preview.newCount === 0) return 'known'
  return preview.setsBalances === false ? 'older' : 'new'
}
