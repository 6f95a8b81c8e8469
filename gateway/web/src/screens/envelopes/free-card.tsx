import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { bankAccountOverviewQuery } from '../../api/account-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { useManner } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import styles from './envelopes.module.css'
import { type Move, useMoneyDrag } from './money-drag.ts'

interface Props {
  bankAccountId: string
  onMove: (move: Move) => void
}

/** Money that no envelope holds, to drag into one and back. */
export function FreeCard({ bankAccountId, onMove }: Props) {
  const manner = useManner(bankAccountId)
  const balances = useQuery(bankAccountOverviewQuery(bankAccountId)).data?.balance
  const drag = useMoneyDrag(null, onMove)
  return (
    <section {...drag} className={`${styles.card} ${styles.freeCard}`} aria-label={words.free}>
      <p className={styles.soft}>{words.free}</p>
      <p className={styles.held}>{balances && <Amount amount={balances.free} manner={manner} />}</p>
      <p className={styles.soft}>
        <Link draggable={false} to="/history" search={{ account: bankAccountId }}>
          {words.why}
        </Link>
      </p>
      <p className={`${styles.soft} ${styles.drag}`}>{words.drag}</p>
    </section>
  )
}
