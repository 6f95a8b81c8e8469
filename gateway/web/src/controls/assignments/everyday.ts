import type { Spending } from '@coffer/client/types'

/**
 * Returns whether an expense is an everyday one, such as groceries: paid in parts on any day. It
 * carries over what is left, so it has no bill that is due, paid or late.
 */
export function isEveryday({ spendingType, carryOver }: Spending): boolean {
  return spendingType === 'expense' && carryOver === true
}

/**
 * Returns whether an everyday envelope is empty after it was filled: something is spent in this
 * period, or a former one has ended.
 */
export function isUsedUp(spending: Spending): boolean {
  const { currentAmount, periodSpentAmount, lastRecurrence } = spending
  const isBegun = periodSpentAmount > 0 || lastRecurrence !== null
  return isEveryday(spending) && currentAmount === 0 && isBegun
}
