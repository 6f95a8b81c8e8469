import type { Balances } from '@coffer/client/types'
import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bankAccountOverviewQuery } from '../../api/account-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import type { Rest } from '../../format/debts.ts'
import { useManner, useRest } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { homeWords } from '../../words/home.ts'
import styles from './envelopes.module.css'
import { type Move, useMoneyDrag } from './money-drag.ts'

interface Props {
  bankAccountId: string
  /** Whether the envelopes are cards too, onto which money can be dragged. */
  isAmongCards: boolean
  onMove: (move: Move) => void
}

/**
 * The money outside envelopes, from and to which money can be dragged. For a credit card or a loan,
 * it shows the debt.
 */
export function FreeCard({ bankAccountId, isAmongCards, onMove }: Props) {
  const manner = useManner(bankAccountId)
  const balances = useQuery(bankAccountOverviewQuery(bankAccountId)).data?.balance
  const rest = useRest(bankAccountId)
  const drag = useMoneyDrag(null, onMove)
  const { name, amount } = figureOf(rest, balances)
  return (
    <section {...drag} className={`${styles.card} ${styles.freeCard}`} aria-label={name}>
      <p className={styles.soft}>{name}</p>
      <p className={styles.held}>{balances && <Amount amount={amount} manner={manner} />}</p>
      {rest === 'credit' && balances && (
        <p className={styles.soft}>
          {homeWords.credit}: <Amount amount={balances.free} manner={manner} />
        </p>
      )}
      <p className={styles.soft}>
        <Link draggable={false} to="/history" search={{ account: bankAccountId }}>
          {words.why}
        </Link>
      </p>
      {isAmongCards && <p className={`${styles.soft} ${styles.drag}`}>{words.drag}</p>}
    </section>
  )
}

/** Returns name and amount of the main figure of an account: free-to-use or the debt. */
export function figureOf(
  rest: Rest,
  { free, current }: Pick<Balances, 'free' | 'current'> = { free: 0, current: 0 },
): { name: string; amount: number } {
  if (rest === 'free') return { name: words.free, amount: free }
  const name = current > 0 ? homeWords.inCredit : homeWords.owed
  return { name, amount: Math.abs(current) }
}
