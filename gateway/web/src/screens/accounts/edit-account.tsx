import { useState } from 'react'
import type { BankAccount } from '../../api/account-queries.ts'
import { AmountField } from '../../controls/amounts/amount-field.tsx'
import { Dialog } from '../../controls/dialog.tsx'
import { TextField } from '../../controls/field.tsx'
import { Form } from '../../controls/form.tsx'
import { useSaving } from '../../controls/saving/saving.tsx'
import { useMoneyText } from '../../controls/texts/money-text.ts'
import { amountText, parseAmount } from '../../format/amount-input.ts'
import { isDebt } from '../../format/debts.ts'
import { formatAmount } from '../../format/money.ts'
import { useManner } from '../../shell/chosen-account.ts'
import { accountWords as words } from '../../words/accounts.ts'
import { fieldText, type Stated, saveAccount } from './save-account.ts'
import { balanceOn, type Side, SideField, sideOf } from './side-field.tsx'

interface Props {
  account: BankAccount
  isByHand: boolean
  onClose: () => void
}

/** Dialog with a bank account's name, and for manual ones the balance. */
export function EditAccount({ account, isByHand, onClose }: Props) {
  const { bankAccountId, accountType } = account
  // Debts are stored as negative balances. The user types no sign, but chooses owed or in credit.
  const isOfDebt = isDebt(account)
  const [side, setSide] = useState(sideOf(account))
  const manner = useManner(bankAccountId)
  const money = useMoneyText(manner)
  const hasLimit = isByHand && accountType === 'credit'
  const [faults, setFaults] = useState<Record<string, string>>({})
  const { shown, taken, send, fault, form } = useSaving({
    subject: account,
    action: words.save,
    save: (wanted: Stated, states) => saveAccount(wanted, states),
    sayField: (field, present) => fieldText(field, present, money),
    take: (present) => setSide(sideOf(present)),
  })
  const problems = fault?.problems ?? {}
  const submit = (values: Record<string, string>) => {
    const typed = isByHand ? parseAmount(values.balance ?? '', manner) : null
    const stated = isOfDebt && typed !== null ? balanceOn(side, typed) : typed
    const currentBalance = isByHand ? stated : shown.currentBalance
    const limitBalance = hasLimit ? parseAmount(values.limit || '0', manner) : shown.limitBalance
    const isLimit = limitBalance !== null && limitBalance >= 0
    const fault = words.amountFault({ example: formatAmount(125_000, manner) })
    setFaults({
      ...(currentBalance === null ? { currentBalance: fault } : {}),
      ...(isLimit ? {} : { limitBalance: fault }),
    })
    if (currentBalance === null || !isLimit) return
    const mask = isByHand ? values.mask?.trim() || null : shown.mask
    send({ name: values.name ?? '', mask, currentBalance, limitBalance }, onClose)
  }
  return (
    <Dialog title={words.edit} isOpen onClose={onClose}>
      <Form key={taken} {...form} problems={faults} onSubmit={submit} onCancel={onClose}>
        <TextField label={words.name} name="name" defaultValue={shown.name} fault={problems.name} />
        {isByHand && (
          <StatedFields
            account={shown}
            {...{ side, setSide }}
            faults={{ ...problems, ...faults }}
          />
        )}
        {hasLimit && (
          <AmountField
            label={words.limit}
            name="limit"
            manner={manner}
            defaultValue={amountText(shown.limitBalance, manner)}
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
  /** Error texts by field. */
  faults: Record<string, string>
}

/** Balance and last digits of a manual bank account. */
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
