import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useId, useState } from 'react'
import { type Spending, spendingQuery } from '../../api/budget-queries.ts'
import type { HistoryEntry } from '../../api/history-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { isEveryday, isUsedUp } from '../../controls/assignments/everyday.ts'
import { WhyButton } from '../../controls/journal/why-button.tsx'
import { Card, Skeleton } from '../../controls/screen.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { homeWords } from '../../words/home.ts'
import { useBehind, useMissing, usePayday } from '../envelopes/contribution.ts'
import { dueText, isDueToday, isLate } from '../envelopes/due-text.ts'
import { LateBill } from '../envelopes/late-bill.tsx'
import { usePaidLate } from '../envelopes/paid-late.ts'
import styles from './home.module.css'
import { useLapsedBills } from './lapsed-bills.ts'

const Explanation = lazy(() =>
  import('./explanation.tsx').then((part) => ({ default: part.Explanation })),
)

/**
 * Envelopes that will miss their target or hold money for a bill that is late or due today, with
 * the reason. An everyday envelope has no bill, so it is never behind: it is listed if it does not
 * last until its payday.
 */
export function Behind({ bankAccountId }: { bankAccountId: string }) {
  const spending = useQuery(spendingQuery(bankAccountId))
  const reader = useReader()
  const isAsked = spending.data?.some(({ isBehind }) => isBehind) ?? false
  const isBehind = useBehind(bankAccountId, { isAsked })
  const isPaidLate = usePaidLate(spending.data ?? [])
  const everyday = (spending.data ?? []).filter((one) => isEveryday(one) && !one.isPaused)
  const missingOf = useMissing(bankAccountId, { isAsked: everyday.length > 0 })
  const lapsedOf = useLapsedBills(spending.data ?? [])
  if (spending.data?.length === 0) return null
  const bills = (spending.data ?? []).filter((one) => !isEveryday(one))
  const short = everyday.filter((one) => isUsedUp(one) || (missingOf(one) ?? 0) > 0)
  const behind = bills.filter(isBehind)
  const late = bills.filter((one) => isLate(one, reader, isPaidLate(one)))
  const dueNow = bills.filter((one) => isDueToday(one, reader, isPaidLate(one)))
  const lapsed = bills.filter((one) => lapsedOf(one))
  const titles = [
    behind.length > 0 ? homeWords.behind : '',
    late.length > 0 ? envelopeWords.late : '',
    dueNow.length > 0 ? homeWords.dueToday : '',
    lapsed.length > 0 ? homeWords.unrecorded : '',
    short.length > 0 ? homeWords.short : '',
  ]
  return (
    <Card title={titles.filter(Boolean).join(' · ') || homeWords.behind}>
      <Asked query={spending}>
        {(all) => {
          const listed = all.filter((one) =>
            [behind, late, dueNow, lapsed, short].some((some) => some.includes(one)),
          )
          if (listed.length === 0) {
            const known = [
              ...bills.flatMap((one) => [isBehind(one), isPaidLate(one), lapsedOf(one)]),
              ...everyday.map(missingOf),
            ]
            const isKnown = known.every((one) => one !== undefined)
            if (!isKnown) return <Skeleton lines={1} />
            return <p className={styles.soft}>{homeWords.noneBehind}</p>
          }
          return (
            <ul className={styles.rows}>
              {listed.map((one) => (
                <BehindOne key={one.spendingId} spending={one} lapsed={lapsedOf(one)} />
              ))}
            </ul>
          )
        }}
      </Asked>
    </Card>
  )
}

interface OneProps {
  spending: Spending
  /** End of the grace of its last bill, if no payment of it is recorded. */
  lapsed: HistoryEntry | null | undefined
}

function BehindOne({ spending, lapsed }: OneProps) {
  const { bankAccountId, spendingId, name, currentAmount, targetAmount } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const isPaidLate = usePaidLate([spending])(spending)
  const payday = usePayday(spending)
  const [isWhyShown, setWhyShown] = useState(false)
  const id = useId()
  return (
    <li>
      <div className={styles.row}>
        <div className={styles.said}>
          <p className={styles.name}>
            <Link
              to="/envelopes/$spendingId"
              params={{ spendingId }}
              search={{ account: bankAccountId }}
            >
              {name}
            </Link>
            {isLate(spending, reader, isPaidLate) && (
              <span className={styles.late}>{envelopeWords.late}</span>
            )}
            {isUsedUp(spending) && <span className={styles.late}>{envelopeWords.usedUp}</span>}
          </p>
          <p className={styles.soft}>
            <Amount amount={currentAmount} manner={manner} /> /{' '}
            <Amount amount={targetAmount} manner={manner} />,{' '}
            {dueText(spending, { ...reader, payday }, isPaidLate)}
          </p>
          {isEveryday(spending) && <Lacks spending={spending} />}
          <LateBill spending={spending} className={styles.soft} />
          {lapsed && <Lapsed bankAccountId={bankAccountId} ended={lapsed} />}
        </div>
        <WhyButton kind="quiet" of={name} controls={id} isShown={isWhyShown} onShow={setWhyShown} />
      </div>
      <div id={id} hidden={!isWhyShown}>
        <Suspense fallback={null}>{isWhyShown && <Explanation spending={spending} />}</Suspense>
      </div>
    </li>
  )
}

/** Says how much an everyday envelope lacks for purchases until its payday. */
function Lacks({ spending }: { spending: Spending }) {
  const { bankAccountId } = spending
  const money = useMoneyText(useManner(bankAccountId))
  const missing = useMissing(bankAccountId)(spending) ?? 0
  if (missing === 0) return null
  return <p className={styles.soft}>{homeWords.lacks({ amount: money(missing) })}</p>
}

/** Says that no payment of the last bill is recorded, though its days of grace have ended. */
function Lapsed({ bankAccountId, ended }: { bankAccountId: string; ended: HistoryEntry }) {
  const reader = useReader()
  const money = useMoneyText(useManner(bankAccountId))
  const rest = useRest(bankAccountId)
  const day = (instant: string) => formatShortDay(dayOf(instant, reader.timezone), reader)
  const text = homeWords.lapsed({
    bill: day(ended.occurrence ?? ended.createdAt),
    day: day(ended.createdAt),
    amount: money(-ended.delta),
    rest,
  })
  return (
    <p className={styles.soft}>
      {text}{' '}
      <Link to="." search={(now) => now} state={{ opened: 'transaction' }}>
        {homeWords.record}
      </Link>
    </p>
  )
}
