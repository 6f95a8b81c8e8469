import { expect } from '@jest/globals'
import type { Json } from '../../harness/person.ts'
import { checkUser, type Shown } from '../sync-model/shown.ts'
import { hasEdits, type User } from '../sync-model/user-actions.ts'
import { type Bank, textOf } from './bank.ts'
import {
  type Account,
  hasTip,
  keepsTransaction,
  lastOf,
  type Purchase,
  type Row,
} from './purchase.ts'

/**
 * Compares a bank account with the bank after a sync that may have read only a part: each
 * transaction is a purchase in a state since the last whole sync, and each purchase that every
 * sync has read is a transaction.
 */
export function checkPart(bank: Bank, account: Account, shown: Shown): void {
  checkUser(account.user, shown)
  expect(account.balances).toContain(shown.balances[0])
  const own = purchasesOf(bank, account)
  const states = own.flatMap(({ seen }) => seen.map((row) => stateOf(bank, row)))
  for (const one of shown.transactions) expect(states).toContainEqual(shownState(one))
  for (const one of own) {
    const live = liveOf(shown, one)
    expect(live.length).toBeLessThanOrEqual(keepsTransaction(one) ? 1 : one.seen.length)
    if (!(one.mayLack || one.delayed > 0)) expect(live).not.toEqual([])
    for (const transaction of live) identify(one, transaction)
  }
}

/** Compares a bank account with the bank after a sync of all changes. */
export function checkWhole(bank: Bank, account: Account, shown: Shown): void {
  checkPart(bank, account, shown)
  const own = purchasesOf(bank, account)
  for (const one of own) one.delayed = Math.max(0, one.delayed - 1)
  if (account.isHidden) return
  expect(shown.balances).toEqual([account.balance, account.balance])
  account.balances = [account.balance]
  for (const one of own.filter(hasTip)) checkTip(account.user, one, liveOf(shown, one))
  account.isRefused = false
  for (const one of own) {
    if (one.delayed > 0) continue
    const live = liveOf(shown, one)
    const mayStay = one.row === null && one.mayStay && live.length > 0
    const row = mayStay ? lastOf(one) : one.row
    if (mayStay) expect(live).toHaveLength(1)
    else expect(live.map(shownState)).toEqual(row ? [stateOf(bank, row)] : [])
    settleSeen(one, live[0])
  }
}

/** A posted row with a tip is the transaction on which the user has worked, unless on both. */
function checkTip(user: User, { transactionId: before }: Purchase, [one]: Json[]): void {
  const { transactionId } = one ?? {}
  if (transactionId === before || !hasEdits(user, before)) return
  expect(hasEdits(user, transactionId)).toBe(true)
}

/** Forgets former rows, because a whole sync has read the present one. */
function settleSeen(one: Purchase, transaction: Json | undefined): void {
  const { row, seen } = one
  if (transaction) one.transactionId = transaction.transactionId
  one.isRenewed = false
  one.isTipped = false
  one.seen = row === null ? seen : [row]
  one.mayLack = row === null
  if (row !== null) one.mayStay = false
}

/** The transaction of a purchase is the same as before. */
function identify(one: Purchase, { transactionId }: Json): void {
  if (keepsTransaction(one)) one.transactionId ??= transactionId
  if (keepsTransaction(one)) expect(transactionId).toBe(one.transactionId)
}

function purchasesOf({ purchases }: Bank, account: Account): Purchase[] {
  return purchases.filter((one) => one.account === account)
}

/** Returns the transactions of a purchase: no other has one of its amounts. */
function liveOf({ transactions }: Shown, { seen }: Purchase): Json[] {
  const amounts = seen.map(({ amount }) => amount)
  return transactions.filter(({ amount }) => amounts.includes(amount))
}

/** Returns the fields of a row that its transaction must have. */
function stateOf({ dayAt }: Bank, row: Row) {
  const { amount, isPending } = row
  // A pending transaction keeps the first description.
  const originalName = isPending ? null : textOf(row)
  return { amount, day: dayAt(row.day), isPending, originalName }
}

function shownState({ amount, date, isPending, originalName }: Json) {
  // Midnight in Chicago is on the same day in UTC.
  const day = date.slice(0, 10)
  return { amount, day, isPending, originalName: isPending ? null : originalName }
}
