import type { BankAccount } from '@coffer/client/types'

/** Returns whether an account is a card or a loan: its money is owed. */
export function isDebt({ accountType }: Pick<BankAccount, 'accountType'>): boolean {
  return accountType === 'credit' || accountType === 'loan'
}
