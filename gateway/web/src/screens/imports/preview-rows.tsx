import type { Import, RowJoin, Upload } from '../../api/import-queries.ts'
import { Amount } from '../../controls/amount.tsx'
import { dayOf, formatShortDay } from '../../format/days.ts'
import { useManner, useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { transactionWords } from '../../words/transactions.ts'
import styles from './imports.module.css'
import { newestFirst } from './stored/same-rows.ts'

type Row =
  | NonNullable<Import['preview']>['rows'][number]
  | NonNullable<Upload['preview']>['rows'][number]

interface Props {
  bankAccountId: string
  /** The account of the file, if it has several. */
  of?: string
  rows: readonly Row[]
  /** The rows that are joined with stored transactions. */
  joins: readonly RowJoin[]
}

/** The first rows of a file as the transactions that its import would store. */
export function PreviewRows({ bankAccountId, of, rows, joins }: Props) {
  const joined = new Set(joins.map(({ uploadIdentifier }) => uploadIdentifier))
  const reader = useReader()
  const manner = useManner(bankAccountId)
  if (rows.length === 0) return null
  const title = [of, words.previewTitle].filter(Boolean).join(': ')
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it sideways
    <section className={styles.scroll} tabIndex={0} aria-label={title}>
      <table className={styles.table}>
        <thead>
          <tr>
            <th scope="col">{transactionWords.date}</th>
            <th scope="col">{transactionWords.name}</th>
            <th scope="col" className={styles.figure}>
              {transactionWords.amount}
            </th>
          </tr>
        </thead>
        <tbody>
          {newestFirst(rows).map((row, at) => (
            <tr
              // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file may be alike
              key={at}
              className={isStored(row, joined) ? styles.known : ''}
            >
              <td>{formatShortDay(dayOf(row.date, reader.timezone), reader)}</td>
              <td className={styles.text}>
                <p>{row.name || row.originalName}</p>
                <p className={styles.soft}>{textsOf(row).join(' · ')}</p>
              </td>
              <td className={styles.figure}>
                <div className={styles.flow}>
                  <span className={styles.soft}>{effectOf(row, joined)}</span>
                  <Amount amount={row.amount} manner={manner} as="flow" />
                </div>
              </td>
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}

/** Returns the texts of the file that the name lacks, so that the choice of columns shows. */
function textsOf({ name, originalName, originalMerchantName }: Row): string[] {
  const shown = name || originalName
  return [...new Set([originalMerchantName, originalName])].filter(
    (text) => text !== '' && text !== shown,
  )
}

/** Returns what becomes of a row in words; the amount is in its own column. */
function effectOf(row: Row, joined: ReadonlySet<string>): string {
  const { uploadIdentifier, booksPending, duplicate, amount } = row
  if (booksPending) return words.booksPending
  if (joined.has(uploadIdentifier)) return words.joins
  if (duplicate) return words.duplicate
  return amount < 0 ? words.comesIn : words.goesOut
}

/** Returns whether a row makes no new transaction, and changes no pending one by itself. */
function isStored(row: Row, joined: ReadonlySet<string>): boolean {
  return (row.duplicate || joined.has(row.uploadIdentifier)) && !row.booksPending
}
