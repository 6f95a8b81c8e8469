import type { Balances, BankAccount } from '@coffer/client/types'

/**
 * The money of an account outside envelopes: free to use, the unused credit of a card, or the debt
 * of a card or loan without a limit.
 */
export type Rest = 'free' | 'credit' | 'owed'

/** Returns the kind of money outside envelopes for an account. */
export function restOf(account: Pick<BankAccount, 'accountType' | 'limitBalance'>): Rest {
  if (!isDebt(account)) return 'free'
  return account.limitBalance > 0 ? 'credit' : 'owed'
}

/** Returns whether an account is a card or a loan, so that its balance is a debt. */
export function isDebt({ accountType }: Pick<BankAccount, 'accountType'>): boolean {
  return accountType === 'credit' || accountType === 'loan'
}

/** Returns whether envelopes hold more money than the account, so that free-to-use is negative. */
export function isOverdrawn({
  free,
  expenses,
  goals,
}: Pick<Balances, 'free' | 'expenses' | 'goals'>): boolean {
  return free < 0 && expenses + goals > 0
}
