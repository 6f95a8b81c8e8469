import type { BankAccount } from '../../api/account-queries.ts'
import { ChoiceField } from '../../controls/field.tsx'
import { accountWords as words } from '../../words/accounts.ts'

/** Whether a card or a loan has a debt (`owed`), or the bank owes the user. */
export type Side = 'owed' | 'inCredit'

const sides: Side[] = ['owed', 'inCredit']

interface Props {
  value: Side
  onChange: (side: Side) => void
}

/** The choice whether the balance of a card or a loan is a debt. */
export function SideField({ value, onChange }: Props) {
  return (
    <ChoiceField
      label={words.side}
      value={value}
      onChange={(side) => onChange(side as Side)}
      options={sides.map((one) => ({ value: one, text: words.sides[one] }))}
    />
  )
}

/** Returns whether the balance of a card or a loan is a debt; debts are negative. */
export function sideOf({ currentBalance }: BankAccount): Side {
  return currentBalance > 0 ? 'inCredit' : 'owed'
}

/** Returns the balance for a typed amount, whose sign is ignored. Debts are negative. */
export function balanceOn(side: Side, amount: number): number {
  return side === 'owed' ? 0 - Math.abs(amount) : Math.abs(amount)
}
