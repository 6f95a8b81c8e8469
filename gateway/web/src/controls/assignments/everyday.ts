import type { Spending } from '@coffer/client/types'

/**
 * Returns whether an expense is paid in parts on any day, as groceries are: it keeps what is left,
 * so no bill of it is due, paid or late.
 */
export function isEveryday({ spendingType, carryOver }: Spending): boolean {
  return spendingType === 'expense' && carryOver === true
}
