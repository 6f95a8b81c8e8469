import type { Spending } from '@coffer/client/types'

/**
 * Returns whether an expense is an everyday one, such as groceries: paid in parts on any day. It
 * carries over what is left, so it has no bill that is due, paid or late.
 */
export function isEveryday({ spendingType, carryOver }: Spending): boolean {
  return spendingType === 'expense' && carryOver === true
}
