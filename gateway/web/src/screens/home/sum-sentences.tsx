import { useQuery } from '@tanstack/react-query'
import type { Balances } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import styles from './home.module.css'

/** The sums of a bank account in sentences: how free to use comes about. */
export function SumSentences({ balances }: { balances: Balances }) {
  const { bankAccountId, available, current, expenses, goals, free } = balances
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const { data: all = [] } = useQuery(spendingQuery(bankAccountId))
  const countOf = (type: string) => all.filter((one) => one.spendingType === type).length
  const sentences = [
    homeWords.whyAvailable({ available: money(available), current: money(current) }),
    homeWords.whyExpenses({ amount: money(expenses), count: countOf('expense') }),
    homeWords.whyGoals({ amount: money(goals), count: countOf('goal') }),
    free < 0
      ? homeWords.whyNegative({ amount: money(-free) })
      : homeWords.whyFree({ amount: money(free) }),
  ]
  return (
    <ul className={styles.sentences}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
    </ul>
  )
}
