import { useChange } from '../../../api/changes.ts'
import { coffer } from '../../../api/client.ts'
import type { Fault } from '../../../api/faults.ts'
import type { ImportMapping } from '../../../api/import-queries.ts'
import { Button } from '../../../controls/button.tsx'
import { FaultBanner } from '../../../controls/form.tsx'
import rows from '../../../controls/rows.module.css'
import { Card } from '../../../controls/screen.tsx'
import { importWords as words } from '../../../words/imports.ts'
import { readColumns, readManner } from '../columns/read-columns.ts'

interface Props {
  known: ImportMapping
  isSending: boolean
  fault: Fault | null
  onUse: () => void
}

/** Offers to use the last mapping of the same columns, and to delete it. */
export function KnownColumns({ known, isSending, fault, onUse }: Props) {
  const { transactionImportMappingId, mapping } = known
  const forgetting = useChange(() => coffer.deleteMapping({ path: { transactionImportMappingId } }))
  const faulty = fault ?? forgetting.fault
  return (
    <Card title={words.known}>
      {faulty && <FaultBanner fault={faulty} />}
      <p className={rows.soft}>
        {[...readColumns(mapping), ...readManner(mapping)].map(words.ofColumn).join(' · ')}
      </p>
      <div className={rows.toolbar}>
        <Button kind="primary" isBusy={isSending} onClick={onUse}>
          {words.useKnown}
        </Button>
        <Button isBusy={forgetting.isSending} onClick={() => forgetting.send(undefined)}>
          {words.forget}
        </Button>
      </div>
    </Card>
  )
}
