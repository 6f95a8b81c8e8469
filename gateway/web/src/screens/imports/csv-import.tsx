import { useQuery } from '@tanstack/react-query'
import { getRouteApi, Link } from '@tanstack/react-router'
import { type Import, importQuery } from '../../api/import-queries.ts'
import { Asked } from '../../controls/asked.tsx'
import { Card, Screen, Skeleton } from '../../controls/screen.tsx'
import { useChosenAccountId } from '../../shell/chosen-account.ts'
import { importWords as words } from '../../words/imports.ts'
import { ColumnForm } from './column-form.tsx'
import { ImportPreview } from './import-preview.tsx'

const route = getRouteApi('/frame/imports/$transactionImportId')

/** A CSV file on its way: its columns, its preview, its end. */
export function CsvImport() {
  const { transactionImportId } = route.useParams()
  const bankAccountId = useChosenAccountId()
  return (
    <Screen title={words.mapTitle}>
      {bankAccountId && <Steps bankAccountId={bankAccountId} id={transactionImportId} />}
    </Screen>
  )
}

function Steps({ bankAccountId, id }: { bankAccountId: string; id: string }) {
  const found = useQuery(importQuery(bankAccountId, id))
  return (
    <Asked query={found} lines={8}>
      {(one) => <Step found={one} />}
    </Asked>
  )
}

function Step({ found }: { found: Import }) {
  const { bankAccountId: account, status, error, upload } = found
  if (status === 'mapping') return <ColumnForm found={found} />
  if (status === 'preview') return <ImportPreview found={found} />
  if (status === 'failed' || status === 'expired') {
    return (
      <Card title={words.failed}>
        <p role="alert">{error}</p>
        <Link to="/imports" search={{ account }}>
          {words.again}
        </Link>
      </Card>
    )
  }
  if (status === 'complete') {
    return (
      <Card title={words.storedTitle}>
        <p role="status">{words.imported(upload?.importedCount ?? 0)}</p>
        <Link to="/transactions" search={{ account }}>
          {words.toTransactions}
        </Link>
      </Card>
    )
  }
  return (
    <Card title={words.reading}>
      <progress aria-label={words.reading} />
      <Skeleton />
    </Card>
  )
}
