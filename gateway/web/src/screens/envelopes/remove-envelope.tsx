import { useNavigate } from '@tanstack/react-router'
import type { Spending } from '../../api/budget-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { FaultBanner } from '../../controls/form.tsx'
import rows from '../../controls/rows.module.css'
import { formatMoney } from '../../format/money.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

/** Asks before an envelope is deleted, and says what becomes of its money. */
export function RemoveEnvelope({ spending, onClose }: { spending: Spending; onClose: () => void }) {
  const { bankAccountId, spendingId, name, currentAmount } = spending
  const manner = useManner(bankAccountId)
  const navigate = useNavigate()
  const { send, isSending, fault } = useChange(() =>
    coffer.deleteSpending({ path: { bankAccountId, spendingId } }),
  )
  const leave = () => void navigate({ to: '/envelopes', search: { account: bankAccountId } })
  return (
    <Dialog title={words.removeTitle(name)} isOpen onClose={onClose}>
      {fault && <FaultBanner fault={fault} />}
      <p>{words.removeText(formatMoney(currentAmount, manner))}</p>
      <div className={rows.toolbar}>
        <Button kind="danger" isBusy={isSending} onClick={() => send(undefined, leave)}>
          {words.remove}
        </Button>
        <Button onClick={onClose}>{words.cancel}</Button>
      </div>
    </Dialog>
  )
}
