import { isDeepStrictEqual } from 'node:util'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, notFound } from '@coffer/kit/rpc/errors'
import { requireManual, requireWritable } from '../book/bank-account.ts'
import { type MarkedField, markEdits } from '../book/field-marks.ts'
import { namedEnvelope, type Transaction } from '../book/transaction.ts'
import { differenceOf, isBooked, sumBookings } from '../money/bookings.ts'
import {
  type BalanceDeltas,
  deltasOf,
  endOperation,
  type Locked,
  moveBalances,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { giveBack, redate } from '../money/spend.ts'
import {
  assign,
  nameEnvelope,
  requireAmount,
  requireSpending,
  storedFields,
  type TransactionDecision,
  type TransactionPatch,
} from './transaction-creation.ts'
import type { BookedState } from './transaction-removal.ts'

const MANUAL_ONLY = ['amount', 'date', 'isPending'] as const

/**
 * Returns the rows to save for a PATCH of a transaction (docs/transactions.md#change). If envelope
 * or amount change, the old envelope gets `spendingAmount` back, then the new one gives min(held,
 * amount); for a refund, the reverse. Balances do not change.
 */
export function changeTransaction(
  locked: Locked & { transaction: Transaction },
  patch: TransactionPatch,
): TransactionDecision {
  const started = startOperation(locked)
  const changed = changeIn(started, locked, patch)
  const fieldMarks = markEdits(locked.transaction.fieldMarks, editedFields(patch))
  return { settlement: endOperation(started), transaction: { ...changed, fieldMarks } }
}

/** The fields of a correction, of which one at least is required. */
export type Correction = Pick<TransactionPatch, (typeof MANUAL_ONLY)[number]>

/**
 * Returns the rows to save for a correction (docs/money.md#corrections): the PATCH of these fields,
 * and changes of the balances by the difference between the transaction as it is now and the amount
 * that it has booked. Balances do not change if it has booked nothing. Idempotent.
 */
export function correctTransaction(
  locked: BookedState,
  correction: Correction,
): TransactionDecision {
  if (MANUAL_ONLY.every((key) => correction[key] === undefined)) {
    throw invalid({ amount: say('AMOUNT_REQUIRED') })
  }
  const wanted = isBooked(locked.bookings) ? deltasOf : () => sumBookings(locked.bookings)
  return changeAndMove(locked, correction, wanted)
}

/**
 * Returns the rows to save for a PATCH on a manual link that also moves the balances: in total, the
 * transaction then has moved them by `wanted`.
 */
export function changeAndMove(
  locked: BookedState,
  patch: TransactionPatch,
  wanted: (transaction: Transaction) => BalanceDeltas,
): TransactionDecision {
  requireManual(locked.bankAccount)
  const started = startOperation(locked)
  const transaction = changeIn(started, locked, patch)
  const missing = differenceOf(wanted(transaction), sumBookings(locked.bookings))
  moveBalances(started, 'transaction', transaction, missing)
  return { settlement: endOperation(started), transaction }
}

function changeIn(
  started: StartedOperation,
  locked: Locked & { transaction: Transaction },
  patch: TransactionPatch,
): Transaction {
  requireWritable(locked.bankAccount)
  const before = locked.transaction
  if (before.deletedAt !== null) throw notFound('transaction')
  if (locked.bankAccount.linkType !== 'manual') {
    refuseManualOnly(patch)
  }
  const stated = storedFields(patch, before)
  const former = namedEnvelope(before)
  const named = nameEnvelope(patch, former)
  const merged = { ...before, ...stated }
  // Only a stated amount is checked: a provider's card verification (amount 0) can be renamed.
  if (stated.amount !== undefined) {
    requireAmount(stated.amount)
  }
  requireSpending(merged, named)
  const { spendingAmount, refundAmount } = before
  if (isDeepStrictEqual(former, named) && before.amount === merged.amount) {
    redate(started, before, merged.date)
    return { ...merged, spendingId: before.spendingId, spendingAmount, refundAmount }
  }
  giveBack(started, before, { cause: 'transaction', causeId: before.transactionId })
  return { ...merged, ...assign(started, merged, named) }
}

/**
 * Returns the fields that a PATCH states, which count as set by the user. Null counts as stated,
 * except for `name`, `addTags` and `removeTags`, where it changes nothing.
 */
function editedFields(patch: TransactionPatch): MarkedField[] {
  const { name, merchantName, notes, tags, addTags, removeTags } = patch
  const stated: [MarkedField, boolean][] = [
    ['name', (name ?? undefined) !== undefined],
    ['merchantName', merchantName !== undefined],
    ['notes', notes !== undefined],
    ['tags', tags !== undefined || (addTags ?? removeTags ?? undefined) !== undefined],
    ['spendingId', 'spendingId' in patch || 'refundSpendingId' in patch],
  ]
  return stated.flatMap(([field, isStated]) => (isStated ? field : []))
}

function refuseManualOnly(patch: TransactionPatch): void {
  const refusedKeys = MANUAL_ONLY.filter((key) => patch[key] !== undefined)
  if (refusedKeys.length > 0) {
    throw invalid(Object.fromEntries(refusedKeys.map((key) => [key, say('KEY_UNKNOWN')])))
  }
}
