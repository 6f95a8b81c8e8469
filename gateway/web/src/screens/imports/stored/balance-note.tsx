import { Link } from '@tanstack/react-router'
import rows from '../../../controls/rows.module.css'
import { useMoneyText } from '../../../controls/texts/money-text.ts'
import { dayOf, formatShortDay } from '../../../format/days.ts'
import { isDebt } from '../../../format/debts.ts'
import { useAccount, useManner, useReader } from '../../../shell/chosen-account.ts'
import { toEdit } from '../../../shell/opened-form.ts'
import { importWords as words } from '../../../words/imports.ts'

interface Props {
  bankAccountId: string
  /** Current balance in the file, in minor units. */
  stated: number | null | undefined
  /** Instant of the file's balance. */
  asOf?: string | null | undefined
  /**
   * `new`: the import sets the balance. `known`: it adds no rows, so it sets none. `older`: the
   * file's balance is older than the stored one.
   */
  is: 'new' | 'known' | 'older'
  /**
   * Change of the current balance by rows that the import joins with stored transactions, in minor
   * units.
   */
  moved?: number
  /** Whether the import is complete. */
  isStored?: boolean
}

/** States whether a file's balance replaces the stored balance (docs/files.md#balances). */
export function BalanceNote(props: Props) {
  const { bankAccountId, stated, asOf, is, moved = 0, isStored = false } = props
  const dayOfInstant = useDayText()
  const money = useMoneyText(useManner(bankAccountId))
  const sum = useBalanceText(bankAccountId)
  const account = useAccount(bankAccountId)
  if (account === undefined) return null
  const { currentBalance, balancesAsOf } = account
  const isStated = stated !== null && stated !== undefined
  const days = { day: dayOfInstant(asOf), known: dayOfInstant(balancesAsOf) }
  const after = sum((currentBalance ?? 0) + moved)
  const sums = { now: sum(currentBalance ?? 0), moved: money(moved), after }
  const values = { ...sums, stated: isStated ? sum(stated) : '', is, ...days }
  const isSame = stated === currentBalance
  const text = textOf({ isSame, isStated, is, isStored, isMoved: moved !== 0 })(values)
  return (
    <p className={rows.soft}>
      {text} {isStored && !isSame && <Link {...toEdit(bankAccountId)}>{words.changeBalance}</Link>}
    </p>
  )
}

/** Returns a function that formats a balance: a debt without a sign, as on the other screens. */
export function useBalanceText(bankAccountId: string): (balance: number) => string {
  const money = useMoneyText(useManner(bankAccountId))
  const account = useAccount(bankAccountId)
  const isOfDebt = account !== undefined && isDebt(account)
  return (balance) =>
    isOfDebt && balance !== 0
      ? words.debtOf({ amount: money(Math.abs(balance)), is: balance > 0 ? 'credit' : 'owed' })
      : money(balance)
}

/** Returns a function that formats the day of an instant; it returns `none` without an instant. */
function useDayText() {
  const reader = useReader()
  return (instant: string | null | undefined) =>
    instant ? formatShortDay(dayOf(instant, reader.timezone), reader) : 'none'
}

interface Found extends Pick<Props, 'is'> {
  isStored: boolean
  isSame: boolean
  isStated: boolean
  isMoved: boolean
}

function textOf({ isSame, isStated, is, isStored, isMoved }: Found) {
  if (!isStated && isMoved) return words.balanceMoves
  if (!isStated) return isStored ? words.balanceIs : words.balanceStays
  if (isStored) return isSame ? words.balanceSet : words.balanceDiffers
  if (is === 'older' && isMoved) return words.balanceOlderMoves
  if (isSame) return words.balanceSame
  if (is === 'older') return words.balanceOlder
  return is === 'known' ? words.balanceKept : words.balanceStated
}

/** The parts of a preview that decide the balance, which is in minor units. */
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
