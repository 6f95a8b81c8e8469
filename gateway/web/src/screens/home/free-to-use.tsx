import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CSSProperties, useId, useState } from 'react'
import { type Balances, bankAccountOverviewQuery } from '../../api/account-queries.ts'
import { spendingQuery } from '../../api/budget-queries.ts'
import { lastHistoryQuery } from '../../api/history-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { History } from '../../controls/journal/history.tsx'
import { WhyButton } from '../../controls/journal/why-button.tsx'
import { Card } from '../../controls/screen.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { historyWords } from '../../words/history.ts'
import { homeWords } from '../../words/home.ts'
import styles from './home.module.css'
import { SumSentences } from './sum-sentences.tsx'

/** The main figure of home: the money that no envelope holds, and why it is that much. */
export function FreeToUse({ bankAccountId }: { bankAccountId: string }) {
  const overview = useQuery(bankAccountOverviewQuery(bankAccountId))
  return (
    <Card>
      <Asked query={overview} lines={5}>
        {(found) => found && <Figures balances={found.balance} />}
      </Asked>
    </Card>
  )
}

function Figures({ balances }: { balances: Balances }) {
  const { bankAccountId, available, current, limit, expenses, goals, free, isCredit } = balances
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const [isWhyShown, setWhyShown] = useState(false)
  const id = useId()
  return (
    <div className={styles.measured}>
      <div className={styles.hero}>
        <div>
          <h2 className={styles.heroLabel}>{homeWords.free}</h2>
          <p className={styles.heroAmount} style={lettersOf(money(free))}>
            <Amount amount={free} manner={manner} />
          </p>
        </div>
        <WhyButton controls={id} isShown={isWhyShown} onShow={setWhyShown} />
      </div>
      <div className={styles.bar} aria-hidden="true">
        {free > 0 && <span className={styles.free} style={{ flexGrow: free }} />}
        {expenses > 0 && <span className={styles.expenses} style={{ flexGrow: expenses }} />}
        {goals > 0 && <span className={styles.goals} style={{ flexGrow: goals }} />}
      </div>
      <dl className={styles.sums}>
        {/* The unused credit of a card without a limit is not known. */}
        {(!isCredit || limit !== 0) && (
          <Sum
            text={isCredit ? homeWords.credit : homeWords.available}
            amount={available}
            manner={manner}
          />
        )}
        {isCredit && (
          <Sum
            text={current > 0 ? homeWords.inCredit : homeWords.owed}
            amount={current}
            manner={manner}
          />
        )}
        <Sum
          text={homeWords.expenses}
          amount={expenses}
          manner={manner}
          className={styles.dotExpenses}
        />
        <Sum text={homeWords.goals} amount={goals} manner={manner} className={styles.dotGoals} />
      </dl>
      <div id={id} hidden={!isWhyShown}>
        {isWhyShown && <Why balances={balances} />}
      </div>
    </div>
  )
}

/** The length of the amount, by which it fits a narrow screen. */
function lettersOf(text: string): CSSProperties {
  return { '--letters': text.length } as CSSProperties
}

interface SumProps {
  text: string
  amount: number
  manner: ReturnType<typeof useManner>
  className?: string
}

function Sum({ text, amount, manner, className }: SumProps) {
  return (
    <div className={className}>
      <dt>{text}</dt>
      <dd>
        <Amount amount={amount} manner={manner} />
      </dd>
    </div>
  )
}

/** The sums of the account in sentences, and the newest changes of them. */
function Why({ balances }: { balances: Balances }) {
  return (
    <div className={styles.why}>
      <SumSentences balances={balances} />
      <LastChanges bankAccountId={balances.bankAccountId} />
    </div>
  )
}

/** The newest entries of the journal, which explain the present sums. */
function LastChanges({ bankAccountId }: { bankAccountId: string }) {
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const { data: entries = [] } = useQuery(lastHistoryQuery(bankAccountId))
  const { data: envelopes = [] } = useQuery(spendingQuery(bankAccountId))
  if (entries.length === 0) return null
  return (
    <section aria-label={homeWords.lastChanges}>
      <h3>{homeWords.lastChanges}</h3>
      <History
        entries={entries}
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
