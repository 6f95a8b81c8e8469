import { expect } from '@jest/globals'
import type { Json } from '../../harness/person.ts'
import { checkUser, type Shown } from '../sync-model/shown.ts'
import { hasEdits, type User } from '../sync-model/user-actions.ts'
import { type Bank, lotOf } from './bank.ts'
import {
  hasTip,
  keepsTransaction,
  lotAt,
  type Purchase,
  type Row,
  settleSeen,
  textsOf,
} from './purchase.ts'

/**
 * Compares the ledger with the bank after a sync that may have read only a part: each transaction
 * is a purchase in a state that the bank had since the last whole sync.
 */
export function checkPart(bank: Bank, user: User, shown: Shown): void {
  checkUser(user, shown)
  expect(bank.balances).toContain(shown.balances[0])
  for (const [lot, live] of byLot(shown)) {
    const states = lotOf(bank, lot).flatMap(({ seen }) => seen.map((row) => stateOf(bank, row)))
    for (const one of live) expect(states).toContainEqual(shownState(one))
  }
  for (const one of bank.purchases.filter((single) => isSingle(bank, single) && !single.mayLack)) {
    expect(liveOf(shown, one)).not.toEqual([])
  }
}

/**
 * Compares the ledger with the bank after a sync of the whole list: each listed purchase is one
 * transaction, and there are no others.
 */
export function checkWhole(bank: Bank, user: User, shown: Shown): void {
  checkPart(bank, user, shown)
  expect(shown.balances).toEqual([bank.balance, bank.balance])
  bank.balances = [bank.balance]
  for (const lot of new Set(bank.purchases.map((one) => one.lot))) {
    const purchases = lotOf(bank, lot)
    const [one] = purchases
    if (one && purchases.length === 1) checkSingle(bank, one, { user, shown })
    else if (purchases.every(({ isUnsure }) => !isUnsure)) checkEqual(bank, purchases, shown)
  }
  for (const one of bank.purchases) {
    if (!one.isUnsure) settleSeen(one)
    one.isUnsure = false
  }
}

/** A purchase that no other equals is one transaction, and the same as before. */
function checkSingle(
  bank: Bank,
  one: Purchase,
  { user, shown }: { user: User; shown: Shown },
): void {
  if (one.isUnsure) return
  const live = liveOf(shown, one)
  expect(live.map(shownState)).toEqual(one.row ? [stateOf(bank, one.row)] : [])
  const [transaction] = live
  // Edits of the posted row, which a part of a sync may show before, are no edits of the pending.
  const { transactionId: id } = transaction ?? {}
  const isOther = id !== one.transactionId && hasEdits(user, id)
  const isTip = hasTip(one) && hasEdits(user, one.transactionId) && !isOther
  if (!keepsTransaction(one) && !isTip) one.transactionId = null
  if (!transaction || !one.row) return
  const { transactionId, merchantName } = transaction
  expect(transactionId).toBe(one.transactionId ?? transactionId)
  one.transactionId = transactionId
  const mine = user.mine.get(transactionId)?.merchantName
  expect(merchantName ?? null).toBe(mine ?? textsOf(one.row).merchant)
}

/**
 * Of purchases that look alike, each posted one is a transaction of its own. A pending one may be
 * missing for each posted one (docs/syncs.md#purchases-that-look-alike).
 */
function checkEqual(bank: Bank, purchases: readonly Purchase[], shown: Shown): void {
  const rows = purchases.flatMap(({ row }) => row ?? [])
  const live = purchases[0] ? liveOf(shown, purchases[0]) : []
  const posted = rows.filter((row) => !row.isPending)
  const pending = rows.filter((row) => row.isPending)
  const states = (of: Row[]) => of.map((row) => stateOf(bank, row)).sort(byText)
  const shownPosted = live.filter((one) => !one.isPending).map(shownState)
  const shownPending = live.filter((one) => one.isPending).map(shownState)
  expect(shownPosted.sort(byText)).toEqual(states(posted))
  const hidden = states(pending)
  for (const one of shownPending) {
    const index = hidden.findIndex((state) => byText(state, one) === 0)
    expect(index).not.toBe(-1)
    hidden.splice(index, 1)
  }
  expect(hidden.length).toBeLessThanOrEqual(posted.length)
}

function isSingle(bank: Bank, { lot }: Purchase): boolean {
  return lotOf(bank, lot).length === 1
}

function byLot({ transactions }: Shown): Map<number, Json[]> {
  return Map.groupBy(transactions, ({ amount }) => lotAt(amount))
}

function liveOf(shown: Shown, { lot }: Purchase): Json[] {
  return byLot(shown).get(lot) ?? []
}

/** Returns the fields of a row that its transaction must have. */
function stateOf({ dayAt }: Bank, row: Row) {
  const { cents: amount, isPending } = row
  const { description } = textsOf(row)
  // A pending transaction keeps the first description.
  const originalName = isPending ? null : description
  return { amount, day: dayAt(row.day), isPending, originalName }
}

function shownState({ amount, date, isPending, originalName }: Json) {
  // Midnight in Chicago is on the same day in UTC.
  const day = date.slice(0, 10)
  return { amount, day, isPending, originalName: isPending ? null : originalName }
}

function byText(one: object, other: object): number {
  const [a, b] = [JSON.stringify(one), JSON.stringify(other)]
  return a < b ? -1 : Number(a > b)
}
