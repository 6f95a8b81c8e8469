import type { Transaction } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { useIsManual } from '../../shell/chosen-account.ts'
import { transactionWords as words } from '../../words/transactions.ts'

/** Says that a transaction is pending; a manual one can be marked as posted. */
export function Pending({ transaction }: { transaction: Transaction }) {
  const { bankAccountId, deletedAt, isPending } = transaction
  const isManual = useIsManual(bankAccountId)
  const { send, isSending, fault } = useChange(markPosted)
  if (!isPending && !fault) return null
  return (
    <div className={rows.toolbar}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.pending}</p>
      {isManual && deletedAt === null && (
        <Button isBusy={isSending} onClick={() => send(transaction)}>
          {words.hasBooked}
        </Button>
      )}
    </div>
  )
}

/**
 * Marks a transaction as posted. The posted balance then changes, if the transaction counts in
 * balances.
 */
async function markPosted({ bankAccountId, transactionId }: Transaction): Promise<void> {
  const path = { bankAccountId, transactionId }
  await coffer.correctTransaction({ path, body: { isPending: false } })
}
