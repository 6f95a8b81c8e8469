import type { Balances, BankAccount } from '@coffer/client/types'

/** Returns whether an account is a card or a loan: its money is owed. */
export function isDebt({ accountType }: Pick<BankAccount, 'accountType'>): boolean {
  return accountType === 'credit' || accountType === 'loan'
}

/** Returns whether envelopes hold more than there is, so that free to use is below zero. */
export function isOverdrawn({
  free,
  expenses,
  goals,
}: Pick<Balances, 'free' | 'expenses' | 'goals'>): boolean {
  return free < 0 && expenses + goals > 0
}
