import type { Chance } from '../sync-model/chance.ts'
import { accountOf, type Bank, bankOf, inUnits } from './bank.ts'
import type { Account } from './purchase.ts'

/** Lets a bank account disappear, if the aggregator has read it to the end. */
export function disappear(bank: Bank, chance: Chance): boolean {
  const listed = bank.accounts.filter(({ isHidden }) => !isHidden)
  // A client that has not read all changes would never get those from before.
  if (listed.length < 2 || !bank.isRead) return false
  const account = accountOf(bank, chance)
  // Its former IDs are removed, and those that replace them are not listed.
  if (bank.purchases.some((one) => one.account === account && one.isRenewed)) return false
  bank.item.hide(account.id)
  account.isHidden = true
  return true
}

/** Lets a bank account come back. */
export function appear(bank: Bank): boolean {
  const account = bank.accounts.find(({ isHidden }) => isHidden)
  if (!account) return false
  bank.item.show(account.id)
  account.isHidden = false
  return true
}

/** Renews the consent: a bank account gets another ID. */
export function renew(bank: Bank, chance: Chance): boolean {
  return renewAccount(bank, chance, 'kept')
}

/** Renews the consent: a bank account and its transactions get other IDs. */
export function renewIds(bank: Bank, chance: Chance): boolean {
  return renewAccount(bank, chance, 'new')
}

function renewAccount(bank: Bank, chance: Chance, ids: 'kept' | 'new'): boolean {
  const account = accountOf(bank, chance)
  const own = bank.purchases.filter((one) => one.account === account)
  // The simulated aggregator does not move delayed rows.
  const isFit = own.every(({ stale, delayed }) => stale === null && delayed === 0)
  if (!isFit || account.isRefused) return false
  account.id = bank.item.renewAccount(account.id, ids)
  if (ids === 'kept') return true
  const rows = bankOf(bank, account).listed()
  for (const one of own) {
    const { row } = one
    if (!row) continue
    const found = rows.find(({ amount }) => isAmount(account, amount, row.amount))
    if (!found) throw new Error('a purchase has no row')
    one.id = found.transaction_id
    one.isRenewed = true
  }
  return true
}

function isAmount(account: Account, stated: unknown, amount: number): boolean {
  return JSON.stringify(stated) === inUnits(account, amount)
}
