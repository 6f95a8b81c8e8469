import { useQuery } from '@tanstack/react-query'
import { useEffect, useState } from 'react'
import {
  type Previewed,
  type PreviewedRow,
  type PreviewedRule,
  rulePreviewQuery,
} from '../../api/rule-queries.ts'
import { transactionQuery } from '../../api/transaction-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { Asked } from '../../controls/asked.tsx'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { ruleWords as words } from '../../words/rules.ts'
import type { Known } from './names.ts'
import styles from './rules.module.css'

interface Props {
  /** Null while the form is incomplete or invalid. */
  draft: Previewed | null
  known: Known
}

/** Debounce of typing in ms before a preview is requested. */
const pauseMs = 400

/** Number of rows that are shown first, and that each "more" adds. */
const step = 5

/** Preview: the changes that the rule would make to stored transactions. */
export function RulePreview({ draft, known }: Props) {
  const text = JSON.stringify(draft)
  const [settled, setSettled] = useState(text)
  useEffect(() => {
    const timer = setTimeout(() => setSettled(text), pauseMs)
    return () => clearTimeout(timer)
  }, [text])
  const asked = JSON.parse(settled) as Previewed | null
  return (
    <section className={styles.preview} aria-label={words.preview}>
      <h3>{words.preview}</h3>
      {asked && draft ? (
        <Shown draft={asked} known={known} />
      ) : (
        <p className={rows.soft}>{words.previewWait}</p>
      )}
    </section>
  )
}

function Shown({ draft, known }: { draft: Previewed; known: Known }) {
  const preview = useQuery(rulePreviewQuery(draft))
  const [count, setCount] = useState(step)
  return (
    <Asked query={preview}>
      {({ transactions, ...counts }) => (
        <>
          <Counts {...counts} />
          {transactions.length > 0 && (
            <ul className={rows.rows} aria-label={words.previewRows}>
              {transactions.slice(0, count).map((one) => (
                <Row key={one.transactionId} row={one} known={known} />
              ))}
            </ul>
          )}
          {transactions.length > count && (
            <Button onClick={() => setCount(count + step)}>{words.moreRows}</Button>
          )}
        </>
      )}
    </Asked>
  )
}

function Counts(counts: Omit<PreviewedRule, 'transactions'>) {
  const { matchedCount, examinedCount, changedCount, keptCount, isComplete } = counts
  return (
    <p role="status">
      {words.fits({ matched: matchedCount, examined: examinedCount, isComplete })}{' '}
      {matchedCount > 0 && words.changes({ changed: changedCount, kept: keptCount })}{' '}
      {words.notByHand}
    </p>
  )
}

/** A transaction with the current and the new value of each changed field. */
function Row({ row, known }: { row: PreviewedRow; known: Known }) {
  const { bankAccountId, transactionId, fields } = row
  const reader = useReader()
  const manner = useManner(bankAccountId)
  const transaction = useQuery(transactionQuery(bankAccountId, transactionId))
  const shown = (field: string, value: string | null) => {
    if (!value) return words.nothing
    return field === 'spendingId' ? known.envelope(value) : value
  }
  return (
    <li className={`${rows.row} ${styles.previewed}`}>
      <Asked query={transaction} lines={1}>
        {({ originalName, date, amount }) => (
          <p className={styles.heading}>
            <span className={rows.name}>{originalName}</span>
            <span className={rows.soft}>
              {formatShortDay(dayOf(date, reader.timezone), reader)},{' '}
              <Amount amount={amount} manner={manner} as="flow" />
            </span>
          </p>
        )}
      </Asked>
      {fields.map(({ field, isChanged, from, to, text, reason }) => (
        <p key={field} className={isChanged ? undefined : rows.soft}>
          {isChanged
            ? `${words.fields[field]}: ${becomes(shown(field, from), shown(field, to))}`
            : reason
              ? words.stays({ field: words.fields[field], reason })
              : text}
        </p>
      ))}
    </li>
  )
}

function becomes(from: string, to: string): string {
  return words.becomes({ from, to })
}
