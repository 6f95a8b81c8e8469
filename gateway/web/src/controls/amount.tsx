import type { Manner } from '../format/currency.ts'
import { formatAmount, formatChange, formatFlow, formatMoney } from '../format/money.ts'
import { usePreferences } from '../preferences/preferences.ts'
import { frameWords } from '../words/frame.ts'
import styles from './amount.module.css'

interface Props {
  /** In minor units. */
  amount: number
  manner: Manner
  /**
   * `flow`: the amount of a transaction. The API has payments positive; the app shows them
   * negative. `change`: the change of a sum, with its sign and currency.
   */
  as?: 'money' | 'amount' | 'flow' | 'change'
}

/** An amount with figures of equal width. Hidden if the user has chosen so. */
export function Amount({ amount, manner, as = 'money' }: Props) {
  const { areAmountsHidden } = usePreferences()
  if (areAmountsHidden) {
    return (
      <span className={styles.amount}>
        <span aria-hidden="true">•••</span>
        <span className={styles.spoken}>{frameWords.hidden}</span>
      </span>
    )
  }
  const isIncome = as === 'flow' ? amount < 0 : as === 'change' && amount > 0
  const isShort = ['money', 'amount'].includes(as) && amount < 0
  const look = isIncome ? styles.income : isShort ? styles.short : ''
  return <span className={`${styles.amount} ${look}`}>{written(amount, manner, as)}</span>
}

function written(amount: number, manner: Manner, as: NonNullable<Props['as']>): string {
  if (as === 'flow') return formatFlow(amount, manner)
  if (as === 'change') return formatChange(amount, manner)
  return as === 'amount' ? formatAmount(amount, manner) : formatMoney(amount, manner)
}
