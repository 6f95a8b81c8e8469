import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { type CSSProperties, lazy, Suspense, useId, useState } from 'react'
import { type BankAccountOverview, bankAccountOverviewQuery } from '../../api/account-queries.ts'
import { uploadsQuery } from '../../api/import-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { WhyButton } from '../../controls/journal/why-button.tsx'
import { Card } from '../../controls/screen.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { isDebt, isOverdrawn, type Rest, restOf } from '../../format/debts.ts'
import { useIsManual, useManner } from '../../shell/chosen-account.ts'
import { toEdit } from '../../shell/opened-form.ts'
import { homeWords } from '../../words/home.ts'
import { figureOf } from '../envelopes/free-card.tsx'
import { usePaydays } from '../schedules/use-paydays.ts'
import styles from './home.module.css'
import { MissingWage } from './missing-wage.tsx'
import { StaleBalance } from './stale-balance.tsx'

// Loaded lazily: users rarely open it, and home is the first screen.
const Why = lazy(() => import('./why.tsx').then((part) => ({ default: part.Why })))

const OwedOnCards = lazy(() =>
  import('./owed-on-cards.tsx').then((part) => ({ default: part.OwedOnCards })),
)

/**
 * The main figure of home, with its explanation: free-to-use. For a card or a loan it is the debt,
 * because unused credit is not money of the user.
 */
export function FreeToUse({ bankAccountId }: { bankAccountId: string }) {
  const overview = useQuery(bankAccountOverviewQuery(bankAccountId))
  return (
    <Card>
      <Asked query={overview} lines={5}>
        {(found) => found && <Figures overview={found} />}
      </Asked>
    </Card>
  )
}

function Figures({ overview }: { overview: BankAccountOverview }) {
  const { bankAccountId, expenses, goals, free } = overview.balance
  const isOwed = isDebt(overview.bankAccount)
  const rest = restOf(overview.bankAccount)
  const { name, amount } = figureOf(rest, overview.balance)
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const [isWhyShown, setWhyShown] = useState(false)
  const id = useId()
  return (
    <div className={styles.measured}>
      <div className={styles.hero}>
        <div>
          <h2 className={`${styles.heroLabel} ${isOwed ? '' : styles.ofFree}`}>{name}</h2>
          <p className={styles.heroAmount} style={lettersOf(money(amount))}>
            <Amount amount={amount} manner={manner} />
          </p>
        </div>
        <WhyButton controls={id} isShown={isWhyShown} onShow={setWhyShown} />
      </div>
      <UnknownBalance overview={overview} />
      <StaleBalance bankAccount={overview.bankAccount} />
      <Suspense fallback={null}>
        {!isOwed && <OwedOnCards bankAccountId={bankAccountId} />}
      </Suspense>
      {rest !== 'owed' && isOverdrawn(overview.balance) && (
        <BelowZero bankAccountId={bankAccountId} rest={rest} />
      )}
      <div className={styles.bar} aria-hidden="true">
        {free > 0 && (
          <span className={isOwed ? styles.unused : styles.free} style={{ flexGrow: free }} />
        )}
        {expenses > 0 && <span className={styles.expenses} style={{ flexGrow: expenses }} />}
        {goals > 0 && <span className={styles.goals} style={{ flexGrow: goals }} />}
      </div>
      <Sums overview={overview} />
      <div id={id} hidden={!isWhyShown}>
        <Suspense fallback={null}>{isWhyShown && <Why overview={overview} />}</Suspense>
      </div>
    </div>
  )
}

/** Says why free-to-use is below zero, as far as pay is missing, and offers to move money. */
function BelowZero({ bankAccountId, rest }: { bankAccountId: string; rest: Rest }) {
  const { data: paydays = [] } = usePaydays(bankAccountId)
  return (
    <>
      {paydays.map((one) => (
        <MissingWage key={one.fundingScheduleId} payday={one} />
      ))}
      <p className={styles.soft}>
        <Link to="/envelopes" search={{ account: bankAccountId }} state={{ opened: 'move' }}>
          {homeWords.overdrawn({ rest })}
        </Link>
      </p>
    </>
  )
}

/**
 * Says that the balance is unknown: rows were imported, but neither a file nor the user has stated
 * a balance.
 */
function UnknownBalance({ overview }: { overview: BankAccountOverview }) {
  const { bankAccountId, current } = overview.balance
  const isUnstated = overview.bankAccount.balancesAsOf === null
  const isPossible = useIsManual(bankAccountId) && current === 0 && isUnstated
  const uploads = useQuery({ ...uploadsQuery(bankAccountId), enabled: isPossible })
  const isImported = uploads.data?.some((one) => one.importedCount > 0 && one.undoneAt === null)
  if (!isPossible || !isImported) return null
  return (
    <p>
      {homeWords.noBalance} <Link {...toEdit(bankAccountId)}>{homeWords.enterBalance}</Link>
    </p>
  )
}

function Sums({ overview }: { overview: BankAccountOverview }) {
  const { bankAccountId, available, limit, expenses, goals } = overview.balance
  const manner = useManner(bankAccountId)
  const isOwed = isDebt(overview.bankAccount)
  // Without a limit, as for every loan, unused credit is unknown, so it is left out.
  const first = isOwed && limit === 0 ? null : isOwed ? homeWords.credit : homeWords.available
  return (
    <dl className={styles.sums}>
      {first !== null && <Sum text={first} amount={available} manner={manner} />}
      <Sum
        text={homeWords.expenses}
        amount={expenses}
        manner={manner}
        className={styles.dotExpenses}
      />
      <Sum text={homeWords.goals} amount={goals} manner={manner} className={styles.dotGoals} />
    </dl>
  )
}

/** Passes the length of the amount to CSS, which adapts the font size to narrow screens. */
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
