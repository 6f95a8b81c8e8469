import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { lazy, Suspense, useId, useState } from 'react'
import { type Spending, spendingQuery } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { WhyButton } from '../../controls/journal/why-button.tsx'
import { Card } from '../../controls/screen.tsx'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords } from '../../words/envelopes.ts'
import { homeWords } from '../../words/home.ts'
import { useBehind } from '../envelopes/contribution.ts'
import { dueText, isDueToday, isLate } from '../envelopes/due-text.ts'
import { LateBill } from '../envelopes/late-bill.tsx'
import { usePaidLate } from '../envelopes/paid-late.ts'
import styles from './home.module.css'

const Explanation = lazy(() =>
  import('./explanation.tsx').then((part) => ({ default: part.Explanation })),
)

/**
 * Envelopes that will miss their target or hold money for a bill that is late or due today, with
 * the reason. Everyday envelopes are left out, because they have no bill.
 */
export function Behind({ bankAccountId }: { bankAccountId: string }) {
  const spending = useQuery(spendingQuery(bankAccountId))
  const reader = useReader()
  const isAsked = spending.data?.some(({ isBehind }) => isBehind) ?? false
  const isBehind = useBehind(bankAccountId, { isAsked })
  const isPaidLate = usePaidLate(spending.data ?? [])
  if (spending.data?.length === 0) return null
  const bills = (spending.data ?? []).filter((one) => !isEveryday(one))
  const behind = bills.filter(isBehind)
  const late = bills.filter((one) => isLate(one, reader, isPaidLate(one)))
  const dueNow = bills.filter((one) => isDueToday(one, reader, isPaidLate(one)))
  const titles = [
    behind.length > 0 ? homeWords.behind : '',
    late.length > 0 ? envelopeWords.late : '',
    dueNow.length > 0 ? homeWords.dueToday : '',
  ]
  return (
    <Card title={titles.filter(Boolean).join(' · ') || homeWords.behind}>
      <Asked query={spending}>
        {() => {
          const listed = bills.filter((one) =>
            [behind, late, dueNow].some((some) => some.includes(one)),
          )
          if (listed.length === 0) {
            const known = bills.flatMap((one) => [isBehind(one), isPaidLate(one)])
            const isKnown = known.every((one) => one !== undefined)
            return isKnown ? <p className={styles.soft}>{homeWords.noneBehind}</p> : null
          }
          return (
            <ul className={styles.rows}>
              {listed.map((one) => (
                <BehindOne key={one.spendingId} spending={one} />
              ))}
            </ul>
          )
        }}
      </Asked>
    </Card>
  )
}

function BehindOne({ spending }: { spending: Spending }) {
  const { bankAccountId, spendingId, name, currentAmount, targetAmount } = spending
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const isPaidLate = usePaidLate([spending])(spending)
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
          </p>
          <p className={styles.soft}>
            <Amount amount={currentAmount} manner={manner} /> /{' '}
            <Amount amount={targetAmount} manner={manner} />,{' '}
            {dueText(spending, reader, isPaidLate)}
          </p>
          <LateBill spending={spending} className={styles.soft} />
        </div>
        <WhyButton kind="quiet" of={name} controls={id} isShown={isWhyShown} onShow={setWhyShown} />
      </div>
      <div id={id} hidden={!isWhyShown}>
        <Suspense fallback={null}>{isWhyShown && <Explanation spending={spending} />}</Suspense>
      </div>
    </li>
  )
}
