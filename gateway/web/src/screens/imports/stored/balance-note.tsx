import { Link } from '@tanstack/react-router'
import rows from '../../../controls/rows.module.css'
import { useMoneyText } from '../../../controls/texts/money-text.ts'
import { useAccount, useManner } from '../../../shell/chosen-account.ts'
import { toEdit } from '../../../shell/opened-form.ts'
import { importWords as words } from '../../../words/imports.ts'

interface Props {
  bankAccountId: string
  /** Current balance that the file states, in minor units. */
  stated: number | null | undefined
  /** Whether the balance is new, or stays: there is no new row, or the balance is an older one. */
  is: 'new' | 'known' | 'older'
  /** Whether the import is over. */
  isStored?: boolean
}

/** Says whether a file changes the balance: its rows never do (docs/files.md#balances). */
export function BalanceNote({ bankAccountId, stated, is, isStored = false }: Props) {
  const money = useMoneyText(useManner(bankAccountId))
  const account = useAccount(bankAccountId)
  if (account === undefined) return null
  const { currentBalance } = account
  const isStated = stated !== null && stated !== undefined
  const values = { now: money(currentBalance), stated: isStated ? money(stated) : '', is }
  const text = textOf({ isSame: stated === currentBalance, isStated, is, isStored })(values)
  return (
    <p className={rows.soft}>
      {text}{' '}
      {isStored && stated !== currentBalance && (
        <Link {...toEdit(bankAccountId)}>{words.changeBalance}</Link>
      )}
    </p>
  )
}

interface Found extends Pick<Props, 'is'> {
  isStored: boolean
  isSame: boolean
  isStated: boolean
}

function textOf({ isSame, isStated, is, isStored }: Found) {
  if (!isStated) return words.balanceStays
  if (isStored) return isSame ? words.balanceSet : words.balanceDiffers
  if (isSame) return words.balanceSame
  if (is === 'older') return words.balanceOlder
  return is === 'known' ? words.balanceKept : words.balanceStated
}

/** The parts of a preview that decide the balance; the current one is in minor units. */
export interface Balancing {
  newCount: number
  currentBalance: number | null
  setsBalances?: boolean
}

/** Returns the effect of an import on the balance. */
export function effectOn(preview: Balancing): Props['is'] {
  if (preview.newCount === 0) return 'known'
  return preview.setsBalances === false ? 'older' : 'new'
}
