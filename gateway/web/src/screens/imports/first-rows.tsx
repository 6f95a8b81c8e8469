import { importWords as words } from '../../words/imports.ts'
import styles from './imports.module.css'

interface Props {
  headers: string[]
  rows: readonly { cells: string[] }[]
}

/** Number of displayed rows; the guess of columns uses more. */
export const shownRows = 5

/** The first rows of a file, unchanged, as a help for the choice of its columns. */
export function FirstRows({ headers, rows }: Props) {
  if (rows.length === 0) return null
  return (
    // biome-ignore lint/a11y/noNoninteractiveTabindex: keyboards scroll it sideways
    <section className={styles.scroll} tabIndex={0} aria-label={words.firstRows}>
      <table className={`${styles.table} ${styles.raw}`}>
        <thead>
          <tr>
            {headers.map((name) => (
              <th key={name} scope="col">
                {name}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.slice(0, shownRows).map(({ cells }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file may be alike
            <tr key={at}>
              {headers.map((name, column) => (
                <td key={name}>{cells[column]}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </section>
  )
}
