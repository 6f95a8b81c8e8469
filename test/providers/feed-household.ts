import type { FeedBank } from './feed-bank.ts'
import { balanceOf, checkingRows, opening, purchase, savingsRows } from './household.ts'
import { feedAccount, type LunchFlow } from './lunch-flow.ts'

const institution = { institution_name: 'Prairie State Bank', provider: 'simulator' }
const checkingId = 4417
const savingsId = 8820

/**
 * Adds two bank accounts to the provider, with a half year that ends the day before `start` (in
 * UTC). It depends on `start` alone, so that a simulator which starts again lists the same rows.
 * `shop` lets the household buy something: it is pending, without an ID as at many banks, until the
 * next purchase.
 */
export function moveIn(provider: LunchFlow, start: Date): { shop: (time: Date) => void } {
  provider.accounts.push(
    feedAccount(checkingId, { name: 'Everyday Checking', ...institution }),
    feedAccount(savingsId, { name: 'Rainy Day Savings', ...institution }),
  )
  const [checking, savings] = [provider.bank(checkingId), provider.bank(savingsId)]
  for (const row of checkingRows(start)) checking.post(row)
  for (const row of savingsRows(start)) savings.post(row)
  const stateBalances = () => {
    checking.setBalance(balanceOf(opening.checking, amountsOf(checking)))
    savings.setBalance(balanceOf(opening.savings, amountsOf(savings)))
  }
  stateBalances()
  let count = 0
  let pending: string | null = null
  return {
    shop: (time) => {
      if (pending !== null) checking.settle(pending, { id: `purchase-${count}` })
      pending = checking.pend({ id: null, ...purchase(count, time) })
      count += 1
      stateBalances()
    },
  }
}

function amountsOf(bank: FeedBank): string[] {
  return bank.listed().map(({ amount }) => amount)
}
