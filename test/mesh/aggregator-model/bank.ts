import type { PlaidBank } from '../../providers/plaid/bank.ts'
import type { PlaidItem } from '../../providers/plaid/item.ts'
import { type Chance, choose } from '../sync-model/chance.ts'
import type { Account, Purchase, Row } from './purchase.ts'

/** The item of a script with the purchases as they are. */
export interface Bank {
  item: PlaidItem
  accounts: Account[]
  purchases: Purchase[]
  /** Whether the last sync read all changes. */
  isRead: boolean
  /** Returns the day as YYYY-MM-DD. */
  dayAt: (day: number) => string
  /** Number of IDs, amounts and texts so far. */
  serial: number
}

/** The number of days of a script. */
export const days = 40

/** Changes in a page: loops have several pages. */
export const pageMax = 4

/** The bank accounts of an item, with the decimal places of their currencies. */
export const accountKinds = [
  { name: 'Dollars', currency: 'USD', decimals: 2, mask: '0001', persistentId: 'stays' },
  { name: 'Yen', currency: 'JPY', decimals: 0, mask: '0002', persistentId: null },
  { name: 'Dinars', currency: 'KWD', decimals: 3, mask: '0003', persistentId: null },
] as const

/** Returns the script of a bank account at the aggregator. */
export const bankOf = ({ item }: Bank, { id }: Account): PlaidBank => item.bank(id)

/** Returns another number, for an ID, an amount or a text. */
export function nextOf(bank: Bank): number {
  bank.serial += 1
  return bank.serial
}

/** Returns a posted row with an amount of its own; one of four is a deposit. */
export function rowOf(bank: Bank, { days: day, pick }: Chance): Row {
  const amount = 1_000 + nextOf(bank)
  return {
    amount: pick % 4 === 3 ? -amount : amount,
    day: day % days,
    isPending: false,
    text: nextOf(bank),
  }
}

/** Returns one of the bank accounts that are listed. */
export function accountOf({ accounts }: Bank, { variant }: Chance): Account {
  const listed = accounts.filter(({ isHidden }) => !isHidden)
  const [first] = accounts
  const chosen = choose(listed, variant) ?? first
  if (!chosen) throw new Error('the item has no bank accounts')
  return chosen
}

/** Returns minor units as a decimal number. */
export function inUnits({ decimals }: Pick<Account, 'decimals'>, amount: number): string {
  return (amount / 10 ** decimals).toFixed(decimals)
}

/** Returns the description of a row. */
export const textOf = ({ text }: Row): string => `CARD SHOP ${text}`

/** Returns a row as the aggregator states it. */
export function listed({ dayAt }: Bank, account: Account, row: Row) {
  const { amount, day } = row
  return {
    date: dayAt(day),
    amount: inUnits(account, amount),
    name: textOf(row),
    description: textOf(row),
  }
}
