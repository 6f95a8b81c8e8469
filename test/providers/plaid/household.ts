import {
  balanceOf,
  checkingRows,
  type HouseholdRow,
  opening,
  purchase,
  savingsRows,
} from '../household.ts'
import type { PlaidBank, Purchase } from './bank.ts'
import type { PlaidItem } from './item.ts'

/**
 * Adds four bank accounts to an item: checking, savings, a mortgage and an investment account, with
 * a half year that ends the day before `start` (in UTC). It depends on `start` and the item's ID
 * alone, so that a simulator which starts again has the same transactions. `shop` lets the
 * household buy something: it is pending until the next purchase, which posts it under another ID.
 */
export function moveIn(item: PlaidItem, start: Date): { shop: (time: Date) => void } {
  const idOf = (name: string) => `${item.itemId}-${name}`
  const bankOf = (name: string, account: object) =>
    item.bank(item.addAccount({ id: idOf(name), officialName: null, ...account }))
  const checking = bankOf('checking', { name: 'Everyday Checking', mask: '4417' })
  const savings = bankOf('savings', {
    name: 'Rainy Day Savings',
    mask: '8820',
    subtype: 'savings',
  })
  const owed = { available: null, current: '187250.40' }
  const house = { name: 'Home Loan', mask: '3031', type: 'loan', subtype: 'mortgage' }
  bankOf('mortgage', { ...house, balances: owed })
  const funds = { name: 'Brokerage', mask: '7704', type: 'investment', subtype: 'brokerage' }
  bankOf('brokerage', { ...funds, balances: { available: null, current: '23631.98' } })
  const post = (bank: PlaidBank, row: HouseholdRow) =>
    bank.post({ ...purchaseOf(row), id: idOf(row.id) })
  for (const row of checkingRows(start).toSorted(byDay)) post(checking, row)
  for (const row of savingsRows(start).toSorted(byDay)) post(savings, row)
  const stateBalances = () => {
    setBalance(checking, opening.checking)
    setBalance(savings, opening.savings)
  }
  stateBalances()
  let count = 0
  let pending: string | null = null
  return {
    shop: (time) => {
      if (pending !== null) checking.settle(pending, { id: idOf(`purchase-${count}`) })
      const row = purchaseOf(purchase(count, time))
      pending = checking.pend({ ...row, id: idOf(`pending-${count + 1}`) })
      count += 1
      stateBalances()
    },
  }
}

/** Returns a row as Plaid has it: a positive amount is money out. */
function purchaseOf({ date, amount, merchant, description }: Omit<HouseholdRow, 'id'>): Purchase {
  const flipped = amount.startsWith('-') ? amount.slice(1) : `-${amount}`
  return { date, amount: flipped, name: description, merchant, description }
}

function setBalance(bank: PlaidBank, openingCents: number): void {
  const amounts = bank.listed().map(({ amount }) => JSON.stringify(amount))
  const balance = balanceOf(-openingCents, amounts)
  const current = balance.startsWith('-') ? balance.slice(1) : `-${balance}`
  bank.setBalances({ available: current, current })
}

function byDay(one: HouseholdRow, other: HouseholdRow): number {
  return one.date.localeCompare(other.date)
}
