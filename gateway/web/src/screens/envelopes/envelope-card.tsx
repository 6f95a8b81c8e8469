import { Link } from '@tanstack/react-router'
import type { Spending } from '../../api/budget-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { isEveryday } from '../../controls/assignments/everyday.ts'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import type { Manner } from '../../format/currency.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'
import { useBehind, useContributions, useNeeds, usePayday } from './contribution.ts'
import { dueText, isLate, isPaidToday } from './due-text.ts'
import styles from './envelopes.module.css'
import { LateBill } from './late-bill.tsx'
import { type Move, useMoneyDrag } from './money-drag.ts'
import { usePaidLate } from './paid-late.ts'

interface Props {
  spending: Spending
  /** Runs when money is dragged from one card to another. */
  onMove: (move: Move) => void
}

/** An envelope: its amount and target, its due date, and the next contribution. */
export function EnvelopeCard({ spending, onMove }: Props) {
  const { bankAccountId, spendingId, spendingType, name, isPaused } = spending
  const { currentAmount, targetAmount, usedAmount, settledAt } = spending
  const drag = useMoneyDrag(spendingId, onMove)
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const isBehind = useBehind(bankAccountId)(spending) === true
  const isPaidLate = usePaidLate([spending])(spending)
  const payday = usePayday(spending)
  const isOfBills = !isEveryday(spending)
  const isPaid = (isOfBills && settledAt !== null) || isPaidToday(spending, reader, isPaidLate)
  const wanted = Math.max(targetAmount, useNeeds(bankAccountId)(spending))
  const progress = currentAmount + (spendingType === 'goal' ? usedAmount : 0)
  return (
    <li {...drag} className={styles.card}>
      <div className={styles.head}>
        <Link
          data-line
          // By default, the browser would drag the URL of the link.
          draggable={false}
          to="/envelopes/$spendingId"
          params={{ spendingId }}
          search={{ account: bankAccountId }}
          className={styles.name}
        >
          {name}
        </Link>
        {isPaid && <span className={styles.tag}>{words.paid}</span>}
        {isPaused && <span className={styles.tag}>{words.paused}</span>}
        {isLate(spending, reader, isPaidLate) && (
          <span className={`${styles.tag} ${styles.behind}`}>{words.late}</span>
        )}
        {isBehind && (
          <span className={`${styles.tag} ${styles.behind}`}>
            {isOfBills ? words.behind : words.usedUp}
          </span>
        )}
      </div>
      <p>
        <strong className={styles.held}>
          <Amount amount={currentAmount} manner={manner} />
        </strong>{' '}
        <Wanted spending={spending} amount={wanted} />
      </p>
      <Progress value={progress} max={wanted} isBehind={isBehind} />
      <LateBill spending={spending} className={styles.soft} />
      <p className={`${styles.soft} ${styles.foot}`}>
        <span>{dueText(spending, { ...reader, payday }, isPaidLate)}</span>
        <Next spending={spending} />
      </p>
    </li>
  )
}

interface WantedProps {
  spending: Spending
  amount: number
}

/**
 * The amount that the envelope should hold: its target, or the cost of all its bills before the
 * payday if that is more, such as of weekly groceries.
 */
function Wanted({ spending, amount }: WantedProps) {
  const { bankAccountId, targetAmount } = spending
  const manner = useManner(bankAccountId)
  const times = timesOf(amount, targetAmount)
  return (
    <span className={styles.soft}>
      {words.of} <Amount amount={amount} manner={manner} />
      {amount > targetAmount && ` ${words.untilPayday}`}
      <Times times={times} amount={targetAmount} manner={manner} />
    </span>
  )
}

interface TimesProps {
  times: number
  amount: number
  manner: Manner
}

/** An amount as a product, without a line break; nothing for a single one. */
function Times({ times, amount, manner }: TimesProps) {
  const money = useMoneyText(manner)
  return times > 1 && ` (${times}\u00a0×\u00a0${money(amount)})`
}

/** Returns how many times a target makes an amount; 0 if it is not a whole number of times. */
function timesOf(amount: number, target: number): number {
  return target > 0 && amount % target === 0 ? amount / target : 0
}

function Next({ spending }: { spending: Spending }) {
  const { bankAccountId, targetAmount, isPaused } = spending
  const manner = useManner(bankAccountId)
  const contribution = useContributions(bankAccountId)(spending)
  if (isPaused) return null
  if (contribution === 0) return <span>{words.full}</span>
  const times = timesOf(contribution, targetAmount)
  return (
    <span>
      {words.next} <Amount amount={contribution} manner={manner} />
      <Times times={times} amount={targetAmount} manner={manner} />
    </span>
  )
}

interface ProgressProps {
  value: number
  max: number
  isBehind: boolean
}

/** Progress bar of the amount. Hidden from screen readers: the amounts above say the same. */
function Progress({ value, max, isBehind }: ProgressProps) {
  const share = max > 0 ? Math.min(Math.max(value / max, 0), 1) : 1
  return (
    <div className={styles.track} aria-hidden="true">
      <div
        className={isBehind ? styles.short : styles.filled}
        style={{ width: `${share * 100}%` }}
      />
    </div>
  )
}
