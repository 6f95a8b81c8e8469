import { useState } from 'react'
import type { BankAccount } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { Button } from '../../controls/button.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { isDebt } from '../../format/debts.ts'
import { formatAmount } from '../../format/money.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'
import { balanceOn, type Side, SideField } from './side-field.tsx'

interface Props {
  account: BankAccount
  isByHand: boolean
  onClose: () => void
}

/** The dialog of a bank account's name, and of the balance that its user states. */
export function EditAccount({ account, isByHand, onClose }: Props) {
  const { bankAccountId, name, currentBalance, accountType } = account
  // Debts are below zero; a person says which side the balance is on, and types no sign.
  const isOfDebt = isDebt(account)
  const [side, setSide] = useState<Side>(currentBalance > 0 ? 'inCredit' : 'owed')
  const manner = useManner(bankAccountId)
  const hasLimit = isByHand && accountType === 'credit'
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { send, isSending, fault } = useChange((body: ReturnType<typeof bodyOf>) =>
    coffer.updateBankAccount({ path: { bankAccountId }, body }),
  )
  const submit = (values: Record<string, string>) => {
    const typed = isByHand ? parseAmount(values.balance ?? '', manner) : null
    const stated = isOfDebt && typed !== null ? balanceOn(side, typed) : typed
    const balance = isByHand ? stated : currentBalance
    const limit = hasLimit ? parseAmount(values.limit || '0', manner) : account.limitBalance
    const isLimit = limit !== null && limit >= 0
    const fault = words.amountFault({ example: formatAmount(125_000, manner) })
    setFaults({
      ...(balance === null ? { currentBalance: fault } : {}),
      ...(isLimit ? {} : { limitBalance: fault }),
    })
    if (balance === null || !isLimit) return
    send(bodyOf(account, { name: values.name ?? '', balance, limit }), onClose)
  }
  return (
    <Dialog title={words.edit} isOpen onClose={onClose}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        problems={faults}
        onSubmit={submit}
        others={<Button onClick={onClose}>{words.cancel}</Button>}
      >
        <TextField
          label={words.name}
          name="name"
          defaultValue={name}
          fault={fault?.problems.name}
        />
        {isByHand && isOfDebt && <SideField value={side} onChange={setSide} />}
        {isByHand && (
          <TextField
            label={isOfDebt ? words[side] : words.postedBalance}
            hint={isOfDebt ? words.owedHint : words.balanceHint}
            name="balance"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={amountText(isOfDebt ? Math.abs(currentBalance) : currentBalance, manner)}
            fault={faults.currentBalance ?? fault?.problems.currentBalance}
          />
        )}
        {hasLimit && (
          <TextField
            label={words.limit}
            name="limit"
            inputMode="decimal"
            autoComplete="off"
            defaultValue={amountText(account.limitBalance, manner)}
            fault={faults.limitBalance ?? fault?.problems.limitBalance}
          />
        )}
      </Form>
    </Dialog>
  )
}

/**
 * Pending payments stay: the available balance moves by as much as the posted one, and the limit of
 * a card.
 */
function bodyOf(
  { currentBalance, availableBalance, limitBalance }: BankAccount,
  { name, balance, limit }: { name: string; balance: number; limit: number },
) {
  const moved = balance - currentBalance + limit - limitBalance
  return {
    name,
    ...(balance === currentBalance ? {} : { currentBalance: balance }),
    ...(limit === limitBalance ? {} : { limitBalance: limit }),
    ...(moved === 0 ? {} : { availableBalance: availableBalance + moved }),
  }
}
