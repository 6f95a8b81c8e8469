import { useQuery } from '@tanstack/react-query'
import { Link } from '@tanstack/react-router'
import { useState } from 'react'
import { type Upload, uploadsQuery } from '../../../api/import-queries.ts'
import { Button } from '../../../controls/button.tsx'
import rows from '../../../controls/rows.module.css'
import { Card } from '../../../controls/screen.tsx'
import { useAccount } from '../../../shell/chosen-account.ts'
import { importWords as words } from '../../../words/imports.ts'
import { BalanceNote, type Balancing, effectOn, useBalanceText } from './balance-note.tsx'
import { UndoImport } from './undo-import.tsx'

interface Props {
  bankAccountId: string
  transactionUploadId: string | null
  /** Text with the numbers of imported and skipped rows. */
  counts: string
  /** The preview of the file; null without one. */
  preview: Balancing | null
  /** Further text about the import. */
  note?: string
}

/** Result of an import: its counts, its balance, a link to its transactions, and its undo. */
export function Stored({ bankAccountId, transactionUploadId, counts, preview, note }: Props) {
  const { data: uploads = [] } = useQuery(uploadsQuery(bankAccountId))
  const [isAsked, setAsked] = useState(false)
  const upload = uploads.find((one) => one.transactionUploadId === transactionUploadId)
  const isUndone = upload !== undefined && upload.undoneAt !== null
  return (
    <Card title={isUndone ? words.undone : words.storedTitle}>
      {isUndone && <Undone upload={upload} />}
      {!isUndone && (
        <>
          <p role="status">{counts}</p>
          <BalanceNote
            bankAccountId={bankAccountId}
            stated={preview?.currentBalance}
            is={preview ? effectOn(preview) : 'new'}
            isStored
          />
          {note && <p className={rows.soft}>{note}</p>}
        </>
      )}
      <div className={rows.toolbar}>
        <Link to="/transactions" search={{ account: bankAccountId }}>
          {words.toTransactions}
        </Link>
        {upload?.isUndoable && (
          <Button kind="quiet" onClick={() => setAsked(true)}>
            {words.undoThis}
          </Button>
        )}
      </div>
      {upload && isAsked && <UndoImport upload={upload} onClose={() => setAsked(false)} />}
    </Card>
  )
}

/** States that the transactions of an undone import are deleted, and the balance now. */
function Undone({ upload }: { upload: Upload }) {
  const { bankAccountId } = upload
  const balanceText = useBalanceText(bankAccountId)
  const account = useAccount(bankAccountId)
  if (account === undefined) return null
  return <p role="status">{words.undoneText({ now: balanceText(account.currentBalance) })}</p>
}
