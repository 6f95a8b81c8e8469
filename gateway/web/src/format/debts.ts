import type { Balances, BankAccount } from '@coffer/client/types'

/**
 * The money of an account that no envelope holds: free to use, the unused credit of a card, or of a
 * card or loan without a limit what is owed.
 */
export type Rest = 'free' | 'credit' | 'owed'

/** Returns what the rest of an account is. */
export function restOf(account: Pick<BankAccount, 'accountType' | 'limitBalance'>): Rest {
  if (!isDebt(account)) return 'free'
  return account.limitBalance > 0 ? 'credit' : 'owed'
}

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
