import { useNavigate } from '@tanstack/react-router'
import type { Spending } from '../../api/budget-queries.ts'
import { coffer } from '../../api/client.ts'
import { Confirmation } from '../../controls/confirmation.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { envelopeWords as words } from '../../words/envelopes.ts'

/**
 * Dialog that asks for confirmation before an envelope is deleted, and says where its money goes.
 */
export function RemoveEnvelope({ spending, onClose }: { spending: Spending; onClose: () => void }) {
  const { bankAccountId, spendingId, name, currentAmount } = spending
  const money = useMoneyText(useManner(bankAccountId))
  const navigate = useNavigate()
  const leave = () => void navigate({ to: '/envelopes', search: { account: bankAccountId } })
  return (
    <Confirmation
      title={words.removeTitle({ name })}
      action={words.remove}
      change={() => coffer.deleteSpending({ path: { bankAccountId, spendingId } })}
      onClose={onClose}
      onDone={leave}
    >
      {words.removeText({ amount: money(currentAmount) })}
    </Confirmation>
  )
}
