import { useState } from 'react'
import { isWorking, type Upload } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { formatInstant } from '../../format/days.ts'
import { useReader } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { AskedChoice } from './asked-choice.tsx'
import styles from './imports.module.css'
import { LeftOutRows } from './stored/left-out-rows.tsx'
import { UndoImport } from './stored/undo-import.tsx'
import { type Progress, useProgress } from './upload-progress.ts'

interface Props {
  upload: Upload
  /** Name of the upload's bank account. */
  account: string
}

/** An imported file: its state, its counts, and a button to undo the import. */
export function UploadRow({ upload, account }: Props) {
  const reader = useReader()
  const [isAsked, setAsked] = useState(false)
  const progress = useProgress(upload)
  const { skipped, status, error, codedError } = progress
  const { file, createdAt, undoneAt, note, codedNote, isUndoable } = upload
  const name = file?.name ?? words.file
  return (
    <li className={rows.row}>
      <div>
        <p className={rows.name}>{name}</p>
        <p className={rows.soft}>
          {words.listed({ account, at: formatInstant(createdAt, reader) })}
        </p>
        {error && <p>{wordsOf(error, codedError)}</p>}
        {!error && note && <p>{wordsOf(note, codedNote)}</p>}
        {status === 'failed' && <AskedChoice upload={upload} />}
        <LeftOutRows upload={upload} skipped={skipped} />
      </div>
      <div className={rows.figures} role="status">
        <p>{undoneAt === null ? words.statuses[status] : words.undone}</p>
        {status !== 'failed' && (
          <p className={`${rows.soft} ${styles.counts}`}>{countsOf(progress)}</p>
        )}
        {isWorking({ status }) && <progress aria-label={words.reading} />}
        {isUndoable && (
          <div className={styles.flush}>
            <Button kind="quiet" onClick={() => setAsked(true)}>
              {words.undo}
            </Button>
          </div>
        )}
      </div>
      {isAsked && <UndoImport upload={upload} onClose={() => setAsked(false)} />}
    </li>
  )
}

/** Returns a text with the numbers of imported, joined, already stored and skipped rows. */
export function countsOf(
  counts: Omit<Progress, 'skipped' | 'status' | 'error' | 'codedError'>,
): string {
  const { importedCount, skippedCount, knownCount, joinedCount, unjoinedCount } = counts
  const known = knownCount ?? 0
  const leftOut = skippedCount - known
  return [
    words.imported({ count: importedCount }),
    ...(joinedCount ? [words.joinedCount({ count: joinedCount })] : []),
    ...(unjoinedCount ? [words.unjoined({ count: unjoinedCount })] : []),
    ...(known > 0 ? [words.knownBefore({ count: known })] : []),
    ...(leftOut > 0 ? [words.leftOut({ count: leftOut })] : []),
  ].join(', ')
}
