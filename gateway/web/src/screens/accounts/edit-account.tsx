import { useState } from 'react'
import type { BankAccount } from '../../api/account-queries.ts'
import { useChange } from '../../api/changes.ts'
import { coffer } from '../../api/client.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
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
  const problems = fault?.problems ?? {}
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
    const mask = isByHand ? values.mask?.trim() || null : account.mask
    send(bodyOf(account, { name: values.name ?? '', mask, balance, limit }), onClose)
  }
  return (
    <Dialog title={words.edit} isOpen onClose={onClose}>
      <Form
        action={words.save}
        isSending={isSending}
        fault={fault}
        problems={faults}
        onSubmit={submit}
        onCancel={onClose}
      >
        <TextField label={words.name} name="name" defaultValue={name} fault={problems.name} />
        {isByHand && (
          <StatedFields
            account={account}
            {...{ side, setSide }}
            faults={{ ...problems, ...faults }}
          />
        )}
        {hasLimit && (
          <AmountField
            label={words.limit}
            name="limit"
            manner={manner}
            defaultValue={amountText(account.limitBalance, manner)}
            fault={faults.limitBalance ?? problems.limitBalance}
          />
        )}
      </Form>
    </Dialog>
  )
}

interface StatedProps {
  account: BankAccount
  side: Side
  setSide: (side: Side) => void
  /** Texts by field. */
  faults: Record<string, string>
}

/** Balance and last digits of a bank account kept by hand. */
function StatedFields({ account, side, setSide, faults }: StatedProps) {
  const { bankAccountId, currentBalance, mask } = account
  const manner = useManner(bankAccountId)
  const isOfDebt = isDebt(account)
  return (
    <>
      {isOfDebt && <SideField value={side} onChange={setSide} />}
      <AmountField
        label={isOfDebt ? words[side] : words.postedBalance}
        hint={isOfDebt ? words.owedHint : words.balanceHint}
        name="balance"
        manner={manner}
        defaultValue={amountText(isOfDebt ? Math.abs(currentBalance) : currentBalance, manner)}
        fault={faults.currentBalance}
      />
      <TextField
        label={words.mask}
        hint={words.maskHint}
        name="mask"
        maxLength={4}
        autoComplete="off"
        defaultValue={mask ?? ''}
        fault={faults.mask}
      />
    </>
  )
}

/** Fields as a person states them; amounts in minor units. */
interface Stated {
  name: string
  mask: string | null
  balance: number
  limit: number
}

/**
 * Pending payments stay: the available balance moves by as much as the posted one, and the limit of
 * a card.
 */
function bodyOf(
  { currentBalance, availableBalance, limitBalance, mask: former }: BankAccount,
  { name, mask, balance, limit }: Stated,
) {
  const moved = balance - currentBalance + limit - limitBalance
  return {
    name,
    ...(mask === former ? {} : { mask }),
    ...(balance === currentBalance ? {} : { currentBalance: balance }),
    ...(limit === limitBalance ? {} : { limitBalance: limit }),
    ...(moved === 0 ? {} : { availableBalance: availableBalance + moved }),
  }
}
