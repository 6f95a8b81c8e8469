import { Link } from '@tanstack/react-router'
import type { RefObject } from 'react'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import type { Import } from '../../api/import-queries.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { importWords as words } from '../../words/imports.ts'
import { wordsOf } from '../../words/refusals.ts'
import { BackToColumns } from './back-to-columns.tsx'
import type { Draft } from './column-guess.ts'

interface Props {
  found: Import
  draft: RefObject<Draft>
}

/** Why a CSV file could not be read, the field to change, and the ways on. */
export function ReadingFault({ found, draft }: Props) {
  const { bankAccountId: account, status, error = '', codedError, transactionUploadId } = found
  const advice = words.advice[codedError?.cause?.code ?? '']
  // The rows of an upload may be stored in part: its file is not read again.
  const isRereadable = status === 'failed' && !transactionUploadId
  return (
    <Card title={words.failed}>
      <div role="alert">
        <p>{wordsOf(error, codedError)}</p>
        {isRereadable && advice && <p>{advice}</p>}
      </div>
      {isRereadable && codedError?.code === 'MARK_UNCLEAR' && <MarkChoice found={found} />}
      <div className={rows.toolbar}>
        {isRereadable && <BackToColumns found={found} draft={draft} />}
        <Link to="/imports" search={{ account }}>
          {words.again}
        </Link>
      </div>
    </Card>
  )
}

/** The two ways to read amounts such as 1.400; each continues with the chosen mapping. */
function MarkChoice({ found }: { found: Import }) {
  const { bankAccountId, transactionImportId, transactionImportMappingId: chosen } = found
  const path = { bankAccountId, transactionImportId }
  const { send, isSending, fault } = useChange((decimalMark: '.' | ',') => {
    const step = { transactionImportMappingId: chosen ?? '', status: 'pending-preview' } as const
    return coffer.updateImport({ path, body: { decimalMark, ...step } })
  })
  return (
    <div className={rows.toolbar}>
      {fault && <FaultBanner fault={fault} />}
      <Button isBusy={isSending} onClick={() => send('.')}>
        {words.decimalPoint}
      </Button>
      <Button isBusy={isSending} onClick={() => send(',')}>
        {words.decimalComma}
      </Button>
    </div>
  )
}
