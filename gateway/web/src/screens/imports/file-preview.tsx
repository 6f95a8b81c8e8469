import { Button } from '../../controls/button.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { answersOf } from './asked-choice.tsx'
import type { PreviewProps } from './previewed.ts'
import { SeveralAccounts } from './several-accounts.tsx'
import { SkippedRows } from './skipped-rows.tsx'
import { UploadPreview } from './upload-preview.tsx'

/** Preview of a file: its rows, the choice of its accounts, or the reason why it is unreadable. */
export function FilePreview(props: PreviewProps) {
  const { upload } = props.previewed
  if (upload.status === 'preview') return <UploadPreview {...props} />
  if (upload.asks === 'statement') return <SeveralAccounts {...props} />
  return <Refusal {...props} />
}

function Refusal({ previewed: { data, upload, choices }, onRead, isReading, onEnd }: PreviewProps) {
  const { error, codedError, skipped } = upload
  return (
    <Card title={data.name}>
      <p role="alert">{error && wordsOf(error, codedError)}</p>
      <SkippedRows skipped={skipped} />
      <div className={rows.toolbar}>
        {answersOf(upload).map(({ label, body }) => (
          <Button key={label} isBusy={isReading} onClick={() => onRead({ ...choices, ...body })}>
            {label}
          </Button>
        ))}
        <Button onClick={onEnd}>{words.cancel}</Button>
      </div>
    </Card>
  )
}
