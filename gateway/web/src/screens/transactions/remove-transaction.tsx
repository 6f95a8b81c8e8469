import { useQuery } from '@tanstack/react-query'
import { useState } from 'react'
import type { Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { heldByBalanceQuery } from '../../api/history-queries.ts'
import { showNote } from '../../api/notes.ts'
import { Button } from '../../controls/button.tsx'
import { CheckField } from '../../controls/field.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { Card } from '../../controls/screen.tsx'
import { useAccount, useIsManual } from '../../shell/chosen-account.ts'
import { bulkWords } from '../../words/bulk.ts'
import { transactionWords as words } from '../../words/transactions.ts'

/** Deletes and restores a manual transaction. Synced ones cannot be deleted. */
export function RemoveTransaction({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, transactionId, deletedAt } = transaction
  const isManual = useIsManual(bankAccountId)
  const { hasMoved, isStated } = useHeld(transaction)
  const [choice, setReturned] = useState<boolean | null>(null)
  const isReturned = choice ?? (hasMoved && !isStated)
  const path = { bankAccountId, transactionId }
  const restore = () => coffer.restoreTransaction({ path, body: {} })
  const change = useChange(() =>
    deletedAt === null
      ? coffer.deleteTransaction({ path, query: { adjusts_balance: isReturned } })
      : restore(),
  )
  const noteRemoved = () => {
    const text = words.removed({ name: transaction.name ?? transaction.originalName })
    showNote({ text, act: { text: bulkWords.undo, work: restore } })
  }
  if (!isManual) return null
  const moved = hasMoved ? words.removeMoved : words.removeUnmoved
  return (
    <Card title={deletedAt === null ? words.remove : words.restore}>
      {change.fault && <FaultBanner fault={change.fault} />}
      {deletedAt === null && (
        <>
          <p>{words.removeText}</p>
          <p>{isStated ? words.removeStated : moved}</p>
          <CheckField
            label={words.returns}
            checked={isReturned}
            onChange={(event) => setReturned(event.target.checked)}
          />
        </>
      )}
      <div className={rows.toolbar}>
        <Button
          kind={deletedAt === null ? 'danger' : 'primary'}
          isBusy={change.isSending}
          onClick={() => change.send(undefined, deletedAt === null ? noteRemoved : undefined)}
        >
          {deletedAt === null ? words.remove : words.restore}
        </Button>
      </div>
    </Card>
  )
}

/**
 * Returns whether a transaction has changed the balance, and whether a balance of its day or later
 * was stated afterwards. A stated balance stays right if the transaction is deleted or corrected,
 * so by default neither changes it.
 */
export function useHeld(transaction: Transaction) {
  const { bankAccountId, date } = transaction
  const { data = { hasMoved: false, isStatedSince: false } } = useQuery(
    heldByBalanceQuery(transaction),
  )
  const asOf = useAccount(bankAccountId)?.balancesAsOf ?? ''
  return { hasMoved: data.hasMoved, isStated: data.isStatedSince && asOf >= date }
}
