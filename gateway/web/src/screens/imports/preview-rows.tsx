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
  /** The account in a file of several accounts. */
  of?: string
  rows: readonly Row[]
  /** The rows that are joined with stored transactions. */
  joins: readonly RowJoin[]
}

/** The first rows of a file as transactions, with the effect of the import on each. */
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

/** Returns the texts of a row besides its name, so that users can check the mapped columns. */
function textsOf({ name, originalName, originalMerchantName }: Row): string[] {
  const shown = name || originalName
  return [...new Set([originalMerchantName, originalName])].filter(
    (text) => text !== '' && text !== shown,
  )
}

/** Returns the effect of the import on a row, as a text without the amount. */
function effectOf(row: Row, joined: ReadonlySet<string>): string {
  const { uploadIdentifier, booksPending, duplicate, amount } = row
  if (booksPending) return words.booksPending
  if (joined.has(uploadIdentifier)) return words.joins
  if (duplicate) return words.duplicate
  const effect = amount < 0 ? words.comesIn : words.goesOut
  return row.isPending ? words.pendingRow({ effect }) : effect
}

/** Returns whether a row is stored already: it creates no transaction and posts no pending one. */
function isStored(row: Row, joined: ReadonlySet<string>): boolean {
  return (row.duplicate || joined.has(row.uploadIdentifier)) && !row.booksPending
}
