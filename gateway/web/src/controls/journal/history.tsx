import { Link } from '@tanstack/react-router'
import type { SumChange } from '../../api/history-queries.ts'
import type { Manner } from '../../format/currency.ts'
import { formatInstant, type Place } from '../../format/days.ts'
import { historyWords } from '../../words/history.ts'
import { Amount } from '../amount.tsx'
import styles from '../rows.module.css'
import { type Named, potName } from './pot-name.ts'

interface Props {
  entries: SumChange[]
  manner: Manner
  place: Place
  /** Whether the rows name the changed pot (balance or envelope), because there are several. */
  hasPots?: boolean
  /** All envelopes of the bank account, for rows that show the pot. */
  envelopes?: Named[] | undefined
  /** Whether the rows link to their transactions. */
  isLinked?: boolean
}

/** Journal entries: time, cause, amount, and the resulting sum. */
export function History({
  entries,
  manner,
  place,
  hasPots = false,
  envelopes,
  isLinked = false,
}: Props) {
  return (
    <ul className={styles.rows} aria-label={historyWords.list}>
      {entries.map((entry) => (
        <li key={keyOf(entry)} className={styles.row}>
          <div>
            <p className={styles.name}>
              {hasPots && entry.pot !== 'free' && `${potName(entry, envelopes)}: `}
              {isLinked && entry.transaction ? <Payment entry={entry} /> : causeOf(entry)}
            </p>
            <p className={styles.soft}>{formatInstant(entry.createdAt, place)}</p>
          </div>
          <div className={styles.figures}>
            <p>
              <Amount amount={-entry.delta} manner={manner} as="flow" />
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

function Payment({ entry }: { entry: SumChange }) {
  const { transactionId = '' } = entry.transaction ?? {}
  return (
    <Link to="/transactions/$transactionId" params={{ transactionId }}>
      {causeOf(entry)}
    </Link>
  )
}

function causeOf({ cause, transaction, upload, operationId }: SumChange): string {
  const isOfFile = upload && (cause === 'transaction' || cause === 'refund')
  const ofFile = isOfFile ? historyWords.ofFile({ cause, file: upload.fileName }) : undefined
  // `/grace/`: the end of the grace, the days after a due date (docs/money/grace.md).
  const isGraceEnd = cause === 'period-closed' && operationId.includes('/grace/')
  const text = historyWords.causes[isGraceEnd ? 'grace-ended' : cause]
  return transaction?.name ?? ofFile ?? text ?? cause
}
