import { useQuery } from '@tanstack/react-query'
import type { BankAccountOverview } from '../../api/account-queries.ts'
import { type Spending, spendingQuery } from '../../api/budget-queries.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { isDebt } from '../../format/debts.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import { usePaydays } from '../schedules/use-paydays.ts'
import styles from './home.module.css'
import { MissingWage } from './missing-wage.tsx'
import { StaleBalance } from './stale-balance.tsx'

/** Explains in sentences how free-to-use, or unused credit, is computed from the sums. */
export function SumSentences({ overview }: { overview: BankAccountOverview }) {
  const { bankAccountId, available, current, limit, expenses, goals, free } = overview.balance
  const isOwed = isDebt(overview.bankAccount)
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const { data: all = [] } = useQuery(spendingQuery(bankAccountId))
  const { data: paydays = [] } = usePaydays(bankAccountId)
  const holding = all.filter(({ currentAmount }) => currentAmount > 0)
  const countOf = (some: Spending[], type: string) =>
    some.filter((one) => one.spendingType === type).length
  const countsOf = (type: string) => ({ count: countOf(holding, type), all: countOf(all, type) })
  // Credit taken by pending payments: neither posted debt nor unused.
  const pending = limit === 0 ? 0 : limit + current - available
  const owed = current > 0 ? homeWords.whyInCredit : homeWords.whyOwed
  const begin = isOwed
    ? [
        owed({ amount: money(Math.abs(current)) }),
        ...(limit === 0
          ? []
          : [homeWords.whyCredit({ limit: money(limit), amount: money(available) })]),
        ...(pending > 0 ? [homeWords.whyPending({ amount: money(pending) })] : []),
      ]
    : [homeWords.whyAvailable({ available: money(available), current: money(current) })]
  const set = [
    homeWords.whyExpenses({ amount: money(expenses), ...countsOf('expense') }),
    homeWords.whyGoals({ amount: money(goals), ...countsOf('goal') }),
  ]
  const rest = isOwed ? homeWords.whyUnused : homeWords.whyFree
  const end =
    free < 0 ? homeWords.whyNegative({ amount: money(-free) }) : rest({ amount: money(free) })
  // For a card or loan without envelopes the first sentences are enough.
  const isSaid = isOwed && expenses === 0 && goals === 0
  const sentences = isSaid ? begin : [...begin, ...set]
  return (
    <ul className={styles.sentences}>
      {sentences.map((sentence) => (
        <li key={sentence}>{sentence}</li>
      ))}
      <StaleBalance bankAccount={overview.bankAccount} as="li" />
      {!isSaid &&
        free < 0 &&
        paydays.map((one) => <MissingWage key={one.fundingScheduleId} payday={one} as="li" />)}
      {!isSaid && <li>{end}</li>}
    </ul>
  )
}
