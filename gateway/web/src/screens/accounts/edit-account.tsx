import { useState } from 'react'
import type { BankAccount } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { formatAmount } from '../../format/money.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'

interface Props {
  account: BankAccount
  isByHand: boolean
  onClose: () => void
}

/** The dialog of a bank account's name, and of the balance that its user states. */
export function EditAccount({ account, isByHand, onClose }: Props) {
  const { bankAccountId, name, currentBalance, accountType } = account
  // Debts are below zero; a person types what is owed without a sign.
  const owes = (accountType === 'credit' || accountType === 'loan') && currentBalance <= 0
  const manner = useManner(bankAccountId)
  const [balanceFault, setBalanceFault] = useState<string | null>(null)
  const { send, isSending, fault } = useChange((body: ReturnType<typeof bodyOf>) =>
    coffer.updateBankAccount({ path: { bankAccountId }, body }),
  )
  const submit = (values: Record<string, string>) => {
    const typed = isByHand ? parseAmount(values.balance ?? '', manner) : null
    const stated = owes && typed !== null ? 0 - Math.abs(typed) : typed
    const balance = isByHand ? stated : currentBalance
    setBalanceFault(
      balance === null ? words.amountFault({ example: formatAmount(125_000, manner) }) : null,
    )
    if (balance !== null) send(bodyOf(account, values.name ?? '', balance), onClose)
  }
  return (
    <Dialog title={words.edit} isOpen onClose={onClose}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        problems={balanceFault ? { currentBalance: balanceFault } : {}}
        onSubmit={submit}
        others={<Button onClick={onClose}>{words.cancel}</Button>}
      >
        <TextField
          label={words.name}
          name="name"
          defaultValue={name}
          fault={fault?.problems.name}
        />
        {isByHand && (
          <TextField
            label={owes ? words.owed : words.postedBalance}
            hint={owes ? words.owedHint : words.balanceHint}
            name="balance"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={amountText(owes ? 0 - currentBalance : currentBalance, manner)}
            fault={balanceFault ?? fault?.problems.currentBalance}
          />
        )}
      </Form>
    </Dialog>
  )
}

/** Pending payments stay: the available balance moves by as much as the posted one. */
function bodyOf({ currentBalance, availableBalance }: BankAccount, name: string, balance: number) {
  if (balance === currentBalance) return { name }
  const moved = balance - currentBalance
  return { name, currentBalance: balance, availableBalance: availableBalance + moved }
}
