import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Upload } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { importWords as words } from '../../words/imports.ts'

interface Answer {
  label: string
  body: Parameters<typeof coffer.updateUpload>[0]['body']
}

/**
 * Buttons for the choice without which the server cannot read a file, such as the order of day and
 * month. Each makes the server read the file again.
 */
export function AskedChoice({ upload }: { upload: Upload }) {
  const { bankAccountId, transactionUploadId } = upload
  const path = { bankAccountId, transactionUploadId }
  const { send, isSending, fault } = useChange((body: Answer['body']) =>
    coffer.updateUpload({ path, body }),
  )
  const answers = answersOf(upload)
  if (answers.length === 0 || upload.file?.deletedAt !== null) return null
  return (
    <div className={rows.toolbar}>
      {fault && <FaultBanner fault={fault} />}
      {answers.map(({ label, body }) => (
        <Button key={label} isBusy={isSending} onClick={() => send(body)}>
          {label}
        </Button>
      ))}
    </div>
  )
}

/** Returns the possible answers to the choice that an upload needs; empty if it needs none. */
export function answersOf({ asks, statements }: Upload): Answer[] {
  if (asks === undefined) return []
  if (asks === 'statement') {
    return statements.map(({ statement, kind, currency }) => ({
      label: [statement, kind, currency].filter(Boolean).join(', '),
      body: { statement },
    }))
  }
  return asks === 'dayFirst'
    ? [
        { label: words.dayFirst, body: { dayFirst: true } },
        { label: words.monthFirst, body: { dayFirst: false } },
      ]
    : [
        { label: words.decimalPoint, body: { decimalMark: '.' } },
        { label: words.decimalComma, body: { decimalMark: ',' } },
      ]
}
