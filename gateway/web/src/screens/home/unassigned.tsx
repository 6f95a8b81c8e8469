import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type BankAccountOverview, bankAccountOverviewQuery } from '../../api/account-queries.ts'
import {
  type Spending,
  spendingQuery,
  type Transaction,
  unassignedQuery,
} from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { assign } from '../../controls/assignments/assignments.ts'
import { FaultBanner } from '../../controls/form.tsx'
import { Card } from '../../controls/screen.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { useKeys } from '../../controls/use-keys.ts'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader, useRest } from '../../shell/chosen-account.ts'
import { homeWords } from '../../words/home.ts'
import styles from './home.module.css'
import { Older } from './older-payments.tsx'

const shownMax = 6

/**
 * Keyboard shortcuts of the envelopes, in their order. Letters that the frame uses as shortcuts
 * (shell/keyboard.tsx) are left out.
 */
const keys = '123456789bcdlmoqruvwxyz'

/** Shortcut that assigns a payment to free-to-use. */
const freeKey = '0'

/** The newest payments without an envelope, each with the choice of one. */
export function Unassigned({ bankAccountId }: { bankAccountId: string }) {
  const newest = useQuery(unassignedQuery(bankAccountId, shownMax))
  const { data: spending = [] } = useQuery(spendingQuery(bankAccountId))
  const { data: overview } = useQuery(bankAccountOverviewQuery(bankAccountId))
  const rest = useRest(bankAccountId)
  if (spending.length === 0) return null
  return (
    <Card title={homeWords.unassigned}>
      <Asked query={newest}>
        {(waiting) => {
          if (waiting.length === 0) return <p className={styles.soft}>{homeWords.unassignedNone}</p>
          const of = waiting.some(({ source }) => source === 'upload') ? 'file' : rest
          return (
            <>
              <p className={styles.soft}>{homeWords.unassignedText({ rest: of })}</p>
              <Older bankAccountId={bankAccountId} payments={waiting} spending={spending} />
              <Payments bankAccountId={bankAccountId} payments={waiting} spending={spending} />
              {overview && <Others bankAccountId={bankAccountId} overview={overview} />}
            </>
          )
        }}
      </Asked>
    </Card>
  )
}

interface OthersProps {
  bankAccountId: string
  overview: BankAccountOverview
}

/** The number of all payments without an envelope, with a link to them. */
function Others({ bankAccountId, overview }: OthersProps) {
  const { unassignedCount, isUnassignedCountExact } = overview
  if (unassignedCount === 0) return null
  return (
    <p>
      <Link
        to="/transactions"
        search={{ account: bankAccountId, spendingId: 'undecided', flow: 'out' }}
      >
        {homeWords.unassignedAll({ count: unassignedCount, isExact: isUnassignedCountExact })}
      </Link>
    </p>
  )
}

interface PaymentsProps {
  bankAccountId: string
  payments: Transaction[]
  spending: Spending[]
}

/** The payments, one of which is selected: a shortcut assigns it to an envelope. */
function Payments({ bankAccountId, payments, spending }: PaymentsProps) {
  const money = useMoneyText(useManner(bankAccountId))
  const reader = useReader()
  const rest = useRest(bankAccountId)
  const [marked, setMarked] = useState(0)
  const at = Math.min(marked, payments.length - 1)
  const { send, isSending, fault } = useChange(assign)
  const choose = (transaction: Transaction, envelope: Spending | null | undefined) => {
    if (envelope === undefined || isSending) return false
    send({ transaction, envelope, money, reader, rest })
    return true
  }
  useKeys((key) => {
    const payment = payments[at]
    const envelope = key === freeKey ? null : spending[keys.indexOf(key)]
    return payment !== undefined && choose(payment, envelope)
  })
  return (
    <>
      {fault && <FaultBanner fault={fault} />}
      <ul className={`${styles.rows} ${styles.payments}`}>
        {payments.map((one, index) => (
          <li
            key={one.transactionId}
            data-line
            data-marked={index === at || undefined}
            tabIndex={-1}
            className={styles.markable}
            onFocus={() => setMarked(index)}
          >
            <Payment transaction={one} spending={spending} choose={choose} />
          </li>
        ))}
      </ul>
      <p className={styles.legend}>
        <span>{homeWords.keys}</span>
        <span>
          <kbd>{freeKey}</kbd> {homeWords.leaveFree({ rest })}
        </span>
        {spending.slice(0, keys.length).map(({ spendingId, name }, index) => (
          <span key={spendingId}>
            <kbd>{keys[index]}</kbd> {name}
          </span>
        ))}
      </p>
    </>
  )
}

interface PaymentProps {
  transaction: Transaction
  spending: Spending[]
  choose: (payment: Transaction, envelope: Spending | null | undefined) => boolean
}

function Payment({ transaction, spending, choose }: PaymentProps) {
  const { bankAccountId, transactionId, date, amount, originalName } = transaction
  const name = transaction.name ?? originalName
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const rest = useRest(bankAccountId)
  return (
    <div className={styles.payment}>
      <p className={styles.soft}>{formatShortDay(dayOf(date, reader.timezone), reader)}</p>
      <p className={styles.name}>
        <Link
          to="/transactions/$transactionId"
          params={{ transactionId }}
          search={{ account: bankAccountId }}
        >
          {name}
        </Link>
      </p>
      <div>
        <select
          aria-label={homeWords.assign({ name })}
          value=""
          onChange={({ target: { value } }) =>
            choose(
              transaction,
              value === freeKey ? null : spending.find((one) => one.spendingId === value),
            )
          }
        >
          <option value="">{homeWords.chooseEnvelope}</option>
          <option value={freeKey}>{homeWords.leaveFree({ rest })}</option>
          {spending.map((one) => (
            <option key={one.spendingId} value={one.spendingId}>
              {one.name}
            </option>
          ))}
        </select>
      </div>
      <Amount amount={amount} manner={manner} as="flow" />
    </div>
  )
}
