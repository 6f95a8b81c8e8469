import { useQuery } from '@tanstack/react-query'
import { getRouteApi } from '@tanstack/react-router'
import { type RefObject, useRef } from 'react'
import { type Import, importQuery } from '../../api/import-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Card, Screen, Skeleton } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { Resume } from '../start/resume.tsx'
import { useWayBack, type WayBack } from './back-to-columns.tsx'
import { ColumnForm } from './column-form.tsx'
import type { Draft } from './columns/column-mapping.ts'
import { ImportPreview } from './import-preview.tsx'
import { ReadingFault } from './reading-fault.tsx'
import { Stored } from './stored/stored.tsx'
import { countsOf } from './upload-row.tsx'

const route = getRouteApi('/frame/imports/$transactionImportId')

/** The import of a CSV file: the form of its columns, then its preview, then its result. */
export function CsvImport() {
  const { transactionImportId } = route.useParams()
  const bankAccountId = useChosenAccountId()
  if (bankAccountId === null) return <Screen title={words.mapTitle}>{null}</Screen>
  return <Steps key={transactionImportId} bankAccountId={bankAccountId} id={transactionImportId} />
}

function Steps({ bankAccountId, id }: { bankAccountId: string; id: string }) {
  const found = useQuery(importQuery(bankAccountId, id))
  const draft = useRef<Draft>({ columns: null, mappingId: null })
  const way = useWayBack(found.data, draft)
  const isDone = found.data?.status === 'complete'
  return (
    <Screen title={isDone ? words.resultTitle : words.mapTitle} help="files">
      <Asked query={found} lines={8}>
        {(one) => <Step found={one} draft={draft} way={way} />}
      </Asked>
    </Screen>
  )
}

interface StepProps {
  found: Import
  draft: RefObject<Draft>
  way: WayBack
}

function Step({ found, draft, way }: StepProps) {
  const { bankAccountId: account, status } = found
  if (status === 'mapping') {
    // With another delimiter, the file has other columns: the key resets the form.
    return <ColumnForm key={found.headers.join('\n')} found={found} draft={draft} />
  }
  if (status === 'preview') return <ImportPreview found={found} way={way} />
  if (status === 'failed' || status === 'expired') {
    return <ReadingFault found={found} way={way} />
  }
  if (status === 'complete') {
    return (
      <>
        <Stored
          bankAccountId={account}
          transactionUploadId={found.transactionUploadId}
          counts={countsOf({
            ...found,
            importedCount: found.importedCount ?? 0,
            skippedCount: found.skippedCount ?? 0,
          })}
          preview={found.preview}
          note={words.kept}
        />
        <Resume bankAccountId={account} />
      </>
    )
  }
  return (
    <Card title={words.reading}>
      <progress aria-label={words.reading} />
      <Skeleton />
    </Card>
  )
}
