import { Link } from '@tanstack/react-router'
import type { ReactNode } from 'react'
import type { SumChange } from '../../api/history-queries.ts'
import type { Manner } from '../../format/currency.ts'
import { formatInstant, type Place } from '../../format/days.ts'
import { historyWords } from '../../words/history.ts'
import { Amount } from '../amount.tsx'
import styles from '../rows.module.css'
import { type Named, potName } from './pot-name.ts'
import { rowNames } from './row-names.ts'

/** Props of a line without a link, which the keys `j` and `k` reach too. */
const line = { 'data-line': true, tabIndex: -1 }

interface Props {
  /** Newest first, with those that are not shown: the names of the rows follow from all. */
  entries: SumChange[]
  /** Number of shown rows; all without it. */
  max?: number
  manner: Manner
  place: Place
  /** Whether the rows name the changed pot (balance or envelope), because there are several. */
  hasPots?: boolean
  /** All envelopes of the bank account, for rows that show the pot. */
  envelopes?: Named[] | undefined
  /** Whether the rows link to their transactions, and the keys `j` and `k` reach them. */
  isLinked?: boolean
}

/** Journal entries: time, cause, amount, and the resulting sum. */
export function History({
  entries,
  max,
  manner,
  place,
  hasPots = false,
  envelopes,
  isLinked = false,
}: Props) {
  const names = rowNames(entries)
  return (
    <ul className={styles.rows} aria-label={historyWords.list}>
      {entries.slice(0, max).map((entry, index) => (
        <li key={keyOf(entry)} className={styles.row}>
          <div>
            <p className={styles.name} {...(isLinked && !entry.transaction ? line : {})}>
              {hasPots && entry.pot !== 'free' && `${potName(entry, envelopes)}: `}
              {isLinked && entry.transaction ? (
                <Payment entry={entry}>{names[index]}</Payment>
              ) : (
                names[index]
              )}
            </p>
            <p className={styles.soft}>{formatInstant(entry.createdAt, place)}</p>
          </div>
          <div className={styles.figures}>
            <p>
              <Amount amount={entry.delta} manner={manner} as="change" />
            </p>
            <p className={styles.soft}>
              <Amount amount={entry.amount} manner={manner} />
            </p>
          </div>
        </li>
      ))}
    </ul>
  )
}

/** Returns a key of the fields that identify an entry, as in the cursor of the API. */
function keyOf({ operationId, spendingId, pot, cause }: SumChange): string {
  return `${operationId} ${spendingId} ${pot} ${cause}`
}

function Payment({ entry, children }: { entry: SumChange; children: ReactNode }) {
  const { transactionId = '' } = entry.transaction ?? {}
  return (
    <Link data-line to="/transactions/$transactionId" params={{ transactionId }}>
      {children}
    </Link>
  )
}
