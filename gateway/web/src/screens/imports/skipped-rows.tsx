import type { Upload } from '../../api/import-queries.ts'
import { importWords as words } from '../../words/imports.ts'
import styles from './imports.module.css'

type Skipped = Upload['skipped']

/** Returns a text with the reasons of skipped rows and their counts. */
function reasonsOf(skipped: Skipped): string {
  return skipped
    .map(({ reason, count }) => `${words.reasons[reason] ?? reason}: ${count}`)
    .join(', ')
}

/** Skipped rows of a file: the reasons; when opened, the first rows for each reason. */
export function SkippedRows({ skipped, onOpen }: { skipped: Skipped; onOpen?: () => void }) {
  if (skipped.length === 0) return null
  return (
    <details className={styles.soft} onToggle={onOpen}>
      <summary>{reasonsOf(skipped)}</summary>
      {skipped.map(({ reason, rows }) => (
        <ul key={reason} aria-label={words.reasons[reason] ?? reason}>
          {rows.map(({ line, text }, at) => (
            // biome-ignore lint/suspicious/noArrayIndexKey: rows of a file may be alike
            <li key={at}>{words.ofLine(line, text)}</li>
          ))}
        </ul>
      ))}
    </details>
  )
}
