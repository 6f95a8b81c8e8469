import { useState } from 'react'
import type { Transaction } from '../../api/budget-queries.ts'
import type { BulkChange } from '../../api/bulk-changes.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { CheckField } from '../../controls/field.tsx'
import rows from '../../controls/rows.module.css'
import { bulkWords as words } from '../../words/bulk.ts'
import { frameWords } from '../../words/frame.ts'
import { transactionWords } from '../../words/transactions.ts'

interface Props {
  chosen: Transaction[]
  remove: (change: BulkChange) => void
  onClose: () => void
}

/**
 * Dialog that asks for confirmation before transactions are deleted, and whether the balance gets
 * the money back.
 */
export function RemoveMany({ chosen, remove, onClose }: Props) {
  // Not preselected for imported rows: they seldom changed the balance, which files state.
  const [isReturned, setReturned] = useState(chosen.every(({ source }) => source === 'manual'))
  const submit = () => {
    remove({ delete: { adjustsBalance: isReturned } })
    onClose()
  }
  return (
    <Dialog title={words.removeTitle({ count: chosen.length })} isOpen onClose={onClose}>
      <p>{words.removeText}</p>
      <CheckField
        label={words.returns}
        checked={isReturned}
        onChange={(event) => setReturned(event.target.checked)}
      />
      <div className={rows.toolbar}>
        <Button kind="danger" onClick={submit}>
          {transactionWords.remove}
        </Button>
        <Button onClick={onClose}>{frameWords.cancel}</Button>
      </div>
    </Dialog>
  )
}
