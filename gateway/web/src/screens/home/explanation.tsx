import { useQuery } from '@tanstack/react-query'
import { explanationQuery, type Spending } from '../../api/budget-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Sentences } from '../../controls/texts/sentences.tsx'
import styles from './home.module.css'

/** Explains the amount of an envelope in sentences. */
export function Explanation({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId } = spending
  const explanation = useQuery(explanationQuery(bankAccountId, spendingId))
  return (
    <Asked query={explanation} lines={2}>
      {({ sentences }) => <Sentences sentences={sentences} className={styles.sentences} />}
    </Asked>
  )
}
