import { isDeepStrictEqual } from 'node:util'
import { type Timestamp, timestampDate } from '@bufbuild/protobuf/wkt'
import { say } from '@coffer/kit/reasons/reasons'
import { invalid, type Refusal, refused, settledOrRefused } from '@coffer/kit/rpc/errors'
import type { BulkChangedRow } from '@coffer/proto/ledger/v1/bulk_change'
import { requireWritable } from '../book/bank-account.ts'
import { FieldMarks } from '../book/field-marks.ts'
import type { JournalEntry } from '../book/journal.ts'
import { namedEnvelope, type Transaction } from '../book/transaction.ts'
import { refundableAfter } from '../money/bookings.ts'
import type { Settlement } from '../money/operation.ts'
import { addSettlement, startSettlements, totalOf } from '../money/settlements.ts'
import type { Current } from '../money/unit-of-work.ts'
import {
  type Correction,
  changeAndMove,
  changeTransaction,
  correctTransaction,
} from './transaction-change.ts'
import type { TransactionDecision, TransactionPatch } from './transaction-creation.ts'
import { changeHints, correctionHints, removalHints } from './transaction-hints.ts'
import { type BookedState, removeTransaction, restoreTransaction } from './transaction-removal.ts'

/** One of the changes of a bulk request (docs/money/bulk.md). */
export type BulkChange =
  | { kind: 'set'; patch: TransactionPatch }
  | { kind: 'correct'; correction: Correction }
  | { kind: 'delete'; adjustsBalance: boolean }
  | { kind: 'restore' }

/**
 * A transaction to change, and the ID of its operation in the journal. `isRefund`: whether it is a
 * refund after the change; undefined if the change does not determine this.
 */
export type BulkItem = { transactionId: string; operationId: string; isRefund?: boolean }

/**
 * The outcome of one item: the transaction before and after, and its bookings before, or a refusal
 * without effect.
 */
export type BulkOutcome = { transactionId: string } & (
  | {
      before: Transaction
      after: Transaction
      bookings: readonly JournalEntry[]
      isChanged: boolean
    }
  | { refusal: Refusal }
)

type Decide = (state: BookedState) => TransactionDecision

/** Returns the function that decides a change of one transaction. */
export function deciderOf(change: BulkChange): Decide {
  return (state) => {
    if (change.kind === 'set') return changeTransaction(state, change.patch)
    if (change.kind === 'correct') return correctTransaction(state, change.correction)
    if (change.kind === 'restore') return restoreTransaction(state)
    return removeSoftly(state, change.adjustsBalance)
  }
}

/**
 * Changes transactions in order, each as its own operation after the operations before it. Refunds
 * come last, because a refund is limited to the amounts that payments have taken. Returns the
 * outcomes in the order of the items. A refused item has no effect. Throws if the bank account is
 * archived.
 */
export function changeEach(
  current: Current,
  items: readonly BulkItem[],
  decide: Decide,
): { settlement: Settlement; outcomes: BulkOutcome[] } {
  requireWritable(current.bankAccount)
  const settlements = startSettlements(current)
  const transactions = new Map(current.transactions.map((one) => [one.transactionId, one]))
  const bookings = Map.groupBy(current.bookings, ({ causeId }) => causeId)
  const isRefund = ({ transactionId, isRefund: after }: BulkItem) => {
    const one = transactions.get(transactionId)
    // A refund is a deposit with an envelope, or one whose deletion has unassigned it.
    const envelope = one?.spendingId ?? one?.unassignedByDeletion ?? null
    return after ?? (envelope !== null && (one?.amount ?? 0n) < 0n)
  }
  const [refunds = [], others = []] = [true, false].map((is) =>
    items.filter((one) => isRefund(one) === is),
  )
  const outcomes = [...others, ...refunds].map(({ transactionId, operationId }): BulkOutcome => {
    const transaction = transactions.get(transactionId)
    const state = {
      bankAccount: settlements.bankAccount,
      envelopes: [...settlements.envelopes.current.values()],
      operation: { ...current.operation, operationId },
      refundable: refundableAfter(current.refundable ?? new Map(), settlements.entries),
      bookings: bookings.get(transactionId) ?? [],
    }
    const decided = settledOrRefused(() => {
      if (!transaction) throw invalid({ transactionId: say('TRANSACTION_FOREIGN') })
      return { before: transaction, ...decide({ ...state, transaction }) }
    })
    if ('refusal' in decided) return { transactionId, refusal: decided.refusal }
    const { before, transaction: after, settlement } = decided.result
    // A correction after a PATCH may change a balance but no field, since a PATCH moves no balance.
    const isChanged = !isDeepStrictEqual(before, after) || settlement.entries.length > 0
    if (isChanged) addSettlement(settlements, settlement)
    return { transactionId, before, after, bookings: state.bookings, isChanged }
  })
  const byId = new Map(outcomes.map((one) => [one.transactionId, one]))
  const inOrder = items.flatMap(({ transactionId }) => byId.get(transactionId) ?? [])
  return { settlement: totalOf(settlements), outcomes: inOrder }
}

/** Returns the hints of an item: the same as those of a request with only this change. */
export function hintsOf(change: BulkChange, outcome: BulkOutcome): string[] {
  if (!('after' in outcome)) return []
  const { before, after, bookings } = outcome
  if (change.kind === 'set') return changeHints(before, after, bookings)
  if (change.kind === 'correct') return correctionHints(before, after, bookings)
  return change.kind === 'delete' ? removalHints(before, change, bookings) : []
}

/** Returns the outcomes of the transactions that a bulk request has changed. */
export function changedOf(outcomes: readonly BulkOutcome[]) {
  return outcomes.flatMap((one) => ('after' in one && one.isChanged ? one : []))
}

/**
 * Returns the function that undoes the change of one transaction; it throws refused if the
 * transaction has changed since. Money moves by the usual rules as of now: a former envelope gives
 * the amount that it holds now, which may be less than before.
 */
export function undoerOf(
  kind: string,
  rows: readonly BulkChangedRow[],
  tagOf: (transaction: Transaction) => string,
): Decide {
  const byId = new Map(rows.map((row) => [row.before?.transactionId, row]))
  return (state) => {
    const { transaction } = state
    const row = byId.get(transaction.transactionId)
    const isChanged = row?.before ? tagOf(transaction) !== row.after : true
    const isMarked = row?.marksAfter !== undefined && !hasMarks(transaction, row.marksAfter)
    if (!row?.before || isChanged || isMarked) {
      throw refused(say('TRANSACTION_CHANGED'))
    }
    if (kind === 'delete') return restoreTransaction(state)
    if (kind === 'restore') {
      const { settlement, transaction: removed } = removeSoftly(state, row.isAdjusted)
      return { settlement, transaction: { ...removed, deletedAt: dateOf(row.before.deletedAt) } }
    }
    return setBack(state, row, row.before)
  }
}

/**
 * Returns whether the fields still have these marks (JSON). An undo compares marks besides values,
 * because an edit may have set an equal value.
 */
function hasMarks({ fieldMarks }: Transaction, marks: string): boolean {
  return isDeepStrictEqual(fieldMarks, readMarks(marks))
}

function readMarks(text: string): FieldMarks | null {
  return FieldMarks.nullable().parse(JSON.parse(text))
}

function dateOf(timestamp: Timestamp | undefined): Date | null {
  return timestamp ? timestampDate(timestamp) : null
}

function removeSoftly(state: BookedState, adjustsBalance: boolean): TransactionDecision {
  const { settlement, transaction } = removeTransaction(state, { adjustsBalance, soft: true })
  return { settlement, transaction: transaction ?? state.transaction }
}

function setBack(
  state: BookedState,
  { marksBefore, bookedAvailable: available, bookedCurrent: current }: BulkChangedRow,
  before: NonNullable<BulkChangedRow['before']>,
): TransactionDecision {
  const { amount, spendingId = null, refundSpendingId = null, isPending, date } = before
  const stated = amount === state.transaction.amount ? {} : { amount }
  const envelope = { spendingId, refundSpendingId }
  const isMoved = !isDeepStrictEqual(envelope, namedEnvelope(state.transaction))
  const patch = { ...stated, ...(isMoved ? envelope : {}) }
  const isCorrected = available !== undefined && current !== undefined
  const { settlement, transaction } = isCorrected
    ? changeAndMove(state, patch, () => ({ available, current }))
    : changeTransaction(state, patch)
  const { name = null, merchantName = null, notes = null } = before
  const tags = before.tags.length > 0 ? before.tags : null
  const day = dateOf(date) ?? transaction.date
  const marks = marksBefore === undefined ? {} : { fieldMarks: readMarks(marksBefore) }
  const fields = { name, merchantName, notes, tags, isPending, date: day, ...marks }
  return { settlement, transaction: { ...transaction, ...fields } }
}
