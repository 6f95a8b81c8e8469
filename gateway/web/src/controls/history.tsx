import type { HistoryEntry } from '../api/history-queries.ts'
import type { Manner } from '../format/currency.ts'
import { formatInstant, type Place } from '../format/days.ts'
import { historyWords } from '../words/history.ts'
import { Amount } from './amount.tsx'
import styles from './rows.module.css'

interface Props {
  entries: HistoryEntry[]
  manner: Manner
  place: Place
  /** Whether the rows name the pot, because there are several. */
  hasPots?: boolean
  /** Names of envelopes by ID, for the rows that name the pot. */
  envelopes?: { spendingId: string; name: string }[]
}

/** Entries of the journal: when, why, by how much, and the amount after it. */
export function History({ entries, manner, place, hasPots = false, envelopes = [] }: Props) {
  return (
    <ul className={styles.rows} aria-label={historyWords.list}>
      {entries.map((entry) => (
        <li key={keyOf(entry)} className={styles.row}>
          <div>
            <p className={styles.name}>{nameOf(entry, hasPots, envelopes)}</p>
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

/** Returns the fields that identify an entry, as in the cursor of its list. */
function keyOf({ operationId, spendingId, pot, cause }: HistoryEntry): string {
  return `${operationId} ${spendingId} ${pot} ${cause}`
}

function nameOf(
  { cause, pot, spendingId, transaction, upload }: HistoryEntry,
  hasPots: boolean,
  envelopes: NonNullable<Props['envelopes']>,
): string {
  const isOfFile = upload && (cause === 'transaction' || cause === 'refund')
  const ofFile = isOfFile ? historyWords.ofFile({ cause, file: upload.fileName }) : undefined
  const why = transaction?.name ?? ofFile ?? historyWords.causes[cause] ?? cause
  if (!hasPots) return why
  const envelope = envelopes.find((one) => one.spendingId === spendingId)
  return `${envelope?.name ?? historyWords.pots[pot] ?? pot}: ${why}`
}
