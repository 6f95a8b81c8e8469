import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import type { BankAccountOverview } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { changesOf, lastMax, newestHistoryQuery, newestMax } from '../../api/history-queries.ts'
import { History } from '../../controls/journal/history.tsx'
import { isDebt } from '../../format/debts.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { historyWords } from '../../words/history.ts'
import { homeWords } from '../../words/home.ts'
import { freeChanges } from './free-changes.ts'
import styles from './home.module.css'
import { SumSentences } from './sum-sentences.tsx'

/** Explains the sums of the account in sentences, and lists their newest changes. */
export function Why({ overview }: { overview: BankAccountOverview }) {
  return (
    <div className={styles.why}>
      <SumSentences overview={overview} />
      <LastChanges overview={overview} />
    </div>
  )
}

/** The newest changes of free-to-use; for a card or a loan the changes of all its sums. */
function LastChanges({ overview }: { overview: BankAccountOverview }) {
  const { bankAccountId, free } = overview.balance
  const isOwed = isDebt(overview.bankAccount)
  const title = isOwed ? homeWords.lastChanges : homeWords.lastOfFree
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { data: newest = [] } = useQuery(newestHistoryQuery(bankAccountId))
  const isCut = newest.length === newestMax
  const entries = isOwed ? changesOf(newest) : freeChanges(newest, { free, isCut })
  const { data: envelopes } = useQuery(spendingQuery(bankAccountId))
  if (entries.length === 0) return null
  return (
    <section aria-label={title}>
      <h3>{title}</h3>
      <History
        entries={entries}
        max={lastMax}
        manner={manner}
        place={reader}
        hasPots
        envelopes={envelopes}
        isLinked
      />
      <p>
        <Link to="/history" search={{ account: bankAccountId }}>
          {historyWords.all}
        </Link>
      </p>
    </section>
  )
}
