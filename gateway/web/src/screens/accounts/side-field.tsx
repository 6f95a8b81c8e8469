import type { BankAccount } from '../../api/account-queries.ts'
import { ChoiceField } from '../../controls/field.tsx'
import { accountWords as words } from '../../words/accounts.ts'

/** Whether the holder of a card or a loan owes its balance, or the bank does. */
export type Side = 'owed' | 'inCredit'

const sides: Side[] = ['owed', 'inCredit']

interface Props {
  value: Side
  onChange: (side: Side) => void
}

/** The choice of the side that the balance of a card or a loan is on. */
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

/** Returns the side that the balance of a card or a loan is on: debts are below zero. */
export function sideOf({ currentBalance }: BankAccount): Side {
  return currentBalance > 0 ? 'inCredit' : 'owed'
}

/** Returns the balance of an amount that is typed with or without a sign: debts are below zero. */
export function balanceOn(side: Side, amount: number): number {
  return side === 'owed' ? 0 - Math.abs(amount) : Math.abs(amount)
}
