import { isDeepStrictEqual } from 'node:util'
import {
  carryMarks,
  findRuleOf,
  type MarkedField,
  markedFields,
  sourceOf,
} from '../book/field-marks.ts'
import type { Joined, ProviderRecord } from '../book/provider-record.ts'
import { type Assignment, type Transaction, userFields } from '../book/transaction.ts'
import { findJoined, lastRecord, liveRecord } from '../records/transaction-records.ts'
import { hasOwnName } from '../transactions/provenance.ts'
import { nameOf } from './provider-row.ts'
import type { SyncedTransaction } from './provider-transaction.ts'
import {
  describe,
  type ImportWork,
  mergeTransaction,
  newTransaction,
  removeTransaction,
  rowOf,
  type SyncWork,
} from './sync-merge.ts'

/** Two transactions after one joined the other, or left it. */
export type Pair = { kept: SyncedTransaction; left: SyncedTransaction }

/** Returns the data of the pending transaction that the posted record stores at the join. */
export function joinedTo(
  { transaction, records }: SyncedTransaction,
  { by, from }: Pick<Joined, 'by' | 'from'>,
): Joined {
  const { originalName, name, merchantName, notes, spendingId, tags, fieldMarks } = transaction
  const before = { originalName, name, merchantName, notes, spendingId, tags, fieldMarks }
  return { by, from, isListed: liveRecord({ records }) !== null, before }
}

/**
 * Joins a posted transaction to its pending one (docs/syncs.md#tips-and-holds). The pending
 * transaction keeps its ID, its user's fields and its envelope, from which the posted amount is
 * taken. Fields that the user set on the posted transaction take precedence. The posted transaction
 * is soft-deleted, without records. `index` numbers the operations.
 */
export function joinPosted(
  work: SyncWork,
  { pending, posted }: { pending: SyncedTransaction; posted: SyncedTransaction },
  { by, index }: { by: Joined['by']; index: number | string },
): Pair {
  const live = liveRecord(posted)
  if (live === null) throw new Error('a posted transaction without a live record')
  const { now } = work.locked.operation
  const left = removeTransaction(work, posted.transaction, `${index}/left`)
  const isLive = pending.transaction.deletedAt === null
  const removed = isLive
    ? removeTransaction(work, pending.transaction, `${index}/pending`)
    : pending.transaction
  const isNamed = hasOwnName(removed, pending.records, isRenamed)
  const carried = { ...removed, ...carryOver({ removed, isNamed }, posted.transaction, live) }
  const row = rowOf(live, posted.transaction.originalName)
  const transaction = mergeTransaction(work, carried, { row, index: `${index}/joined` })
  const { transactionId } = transaction
  const joined = joinedTo(pending, { by, from: left.transactionId })
  const ended = pending.records.map((one) => ({ ...one, deletedAt: one.deletedAt ?? now }))
  const moved = posted.records.map((one) =>
    one === live
      ? { ...one, transactionId, matchReason: 'amount-date-name' as const, joined }
      : { ...one, transactionId },
  )
  return {
    kept: { transaction, records: [...ended, ...moved] },
    left: { transaction: left, records: [] },
  }
}

/** Returns whether the user has changed a transaction; `last` is the provider's last record. */
export function isEdited(
  { transaction }: Pick<SyncedTransaction, 'transaction'>,
  last: ProviderRecord,
): boolean {
  const { merchantName, originalMerchantName } = transaction
  const isOwn = (field: MarkedField) => findRuleOf(transaction, field) === null
  const { fieldMarks } = transaction
  return (
    // A field that the user has cleared has no value, but a mark.
    markedFields.some(
      (field) => fieldMarks?.[field] && sourceOf(transaction, field).by === 'user',
    ) ||
    userFields.some((field) => transaction[field] !== null && isOwn(field)) ||
    ((merchantName ?? '') !== originalMerchantName && isOwn('merchantName')) ||
    (isRenamed(transaction, last) && isOwn('name'))
  )
}

/** Returns whether the user has changed a transaction. */
export function hasEdits(synced: SyncedTransaction): boolean {
  const last = lastRecord(synced)
  return last !== null && isEdited(synced, last)
}

/** Returns whether a transaction has a name that the provider has not stated. */
export function isRenamed({ name, originalName }: Transaction, last: ProviderRecord): boolean {
  const stated = [last.merchantName, last.name, originalName].map(nameOf)
  return name !== null && !stated.includes(name)
}

/**
 * Returns the fields to copy from the posted to the pending transaction: fields that the user has
 * set or cleared, and fields of rules that the user has not set on the pending transaction.
 */
function carryOver(
  { removed: pending, isNamed }: { removed: Transaction; isNamed: boolean },
  posted: Transaction,
  live: ProviderRecord,
): Partial<Transaction> {
  const isCarried = (field: MarkedField) => {
    const { by } = sourceOf(posted, field, isRenamed(posted, live))
    return by === 'user' || (by === 'rule' && sourceOf(pending, field, isNamed).by !== 'user')
  }
  const carried = markedFields.filter(isCarried)
  return {
    ...Object.fromEntries(carried.map((field) => [field, posted[field]])),
    fieldMarks: carryMarks(pending.fieldMarks, posted.fieldMarks, carried),
    ...unpaid(pending.amount, (carried.includes('spendingId') ? posted : pending).spendingId),
  }
}

/** Returns the assignment to an envelope before any money moves; a deposit is a refund. */
function unpaid(amount: bigint, spendingId: string | null): Assignment {
  if (spendingId === null) return { spendingId, spendingAmount: null, refundAmount: null }
  return { spendingId, spendingAmount: 0n, refundAmount: amount < 0n ? 0n : null }
}

/** `isRejected`: the user has rejected the join, so the two are never joined again. */
type Apart = {
  former: Transaction | null
  transactionId: string
  index: number | string
  isRejected: boolean
}

/**
 * Reverses a join by `joinPosted` or an import. The pending transaction is restored: live if the
 * provider lists it, else removed, without money of its envelope. The posted transaction is
 * `former`, with its user's fields and envelope, or a new one with `transactionId`. If the pending
 * one is removed, the posted one gets the fields that the user has changed since the join.
 */
export function takeApart(
  work: Pick<ImportWork, 'locked' | 'settlements' | 'source'>,
  { transaction, records }: SyncedTransaction,
  of: Apart,
): Pair {
  const { former, index } = of
  const { now } = work.locked.operation
  const live = liveRecord({ records })
  const joined = findJoined({ records })
  const pendings = records.filter(({ isPending }) => isPending)
  const last = lastRecord({ records: pendings })
  if (!live || live.isPending || !joined || !last)
    throw new Error('a transaction that nothing has joined')
  const removed = removeTransaction(work, transaction, `${index}/apart`)
  const since = joined.isListed ? [] : changedSince(transaction, { joined, former, live })
  const before = { ...removed, ...takeBack(work, removed, { joined, former, live, since }) }
  const pendingRow = rowOf(last, joined.before.originalName)
  const kept = joined.isListed
    ? mergeTransaction(work, before, { row: pendingRow, index: `${index}/pending` })
    : describe(before, pendingRow)
  const row = rowOf(live, transaction.originalName)
  const transactionId = former?.transactionId ?? of.transactionId
  const posted = former ?? { ...newTransaction(work, row, transactionId), deletedAt: now }
  const left = mergeTransaction(work, handOver(posted, transaction, since), {
    row,
    index: `${index}/posted`,
  })
  const rejectedIds = of.isRejected ? rejectedBy(live, transaction) : live.rejectedIds
  const moved = records.filter(({ isPending }) => !isPending)
  return {
    kept: {
      transaction: kept,
      records: pendings.map((one) =>
        one === last && joined.isListed ? { ...one, deletedAt: null } : one,
      ),
    },
    left: {
      transaction: left,
      records: moved.map((one) =>
        one === live || one.joined !== null
          ? { ...one, transactionId, matchReason: 'new' as const, joined: null, rejectedIds }
          : { ...one, transactionId },
      ),
    },
  }
}

type Apartness = { joined: Joined; former: Transaction | null; live: ProviderRecord }

/** Returns the fields that the user has set since the join, even to an equal value. */
function changedSince(transaction: Transaction, of: Apartness): MarkedField[] {
  const { joined, former, live } = of
  return markedFields.filter(
    (field) =>
      sourceOf(transaction, field, isRenamed(transaction, live)).by === 'user' &&
      !isSame(transaction, joined.before, field) &&
      !(former && isSame(transaction, former, field)),
  )
}

/** Returns whether two transactions have the same value of a field, with the same mark. */
function isSame(one: Transaction, other: Joined['before'], field: MarkedField): boolean {
  const { fieldMarks } = other
  const isMarked =
    fieldMarks === undefined || isDeepStrictEqual(one.fieldMarks?.[field], fieldMarks?.[field])
  return isMarked && isDeepStrictEqual(one[field], other[field])
}

/**
 * Returns whether a field came with the posted row: from its transaction, or from rules that ran
 * when it posted the pending one.
 */
function cameAlong(transaction: Transaction, field: MarkedField, of: Apartness): boolean {
  const { former, live } = of
  if (former === null) return sourceOf(transaction, field).by === 'rule'
  const isOwn = sourceOf(former, field, isRenamed(former, live)).by !== 'provider'
  return isOwn && isSame(transaction, former, field)
}

/** Returns the posted transaction with these fields of `from`; no money moves yet. */
function handOver(
  posted: Transaction,
  from: Transaction,
  fields: readonly MarkedField[],
): Transaction {
  if (fields.length === 0) return posted
  return {
    ...posted,
    ...Object.fromEntries(fields.map((field) => [field, from[field]])),
    fieldMarks: carryMarks(posted.fieldMarks, from.fieldMarks, fields),
    ...(fields.includes('spendingId') ? unpaid(from.amount, from.spendingId) : {}),
  }
}

/**
 * Returns the fields that the pending transaction gets back from before the join, with their marks:
 * those that came with the posted row, and those in `since`, which the posted transaction gets.
 * Other fields that the user has changed since the join stay.
 */
function takeBack(
  { settlements }: SyncWork,
  transaction: Transaction,
  of: Apartness & { since: readonly MarkedField[] },
): Partial<Transaction> {
  const { before } = of.joined
  const fields = markedFields.filter(
    (field) => of.since.includes(field) || cameAlong(transaction, field, of),
  )
  const own = Object.fromEntries(fields.map((field) => [field, before[field]]))
  const { spendingId } = { ...transaction, ...own }
  const envelope = settlements.envelopes.current.get(spendingId ?? '')
  const isOpen = envelope?.closedAt === null
  return {
    ...own,
    fieldMarks: carryMarks(transaction.fieldMarks, before.fieldMarks ?? null, fields),
    originalName: before.originalName,
    ...unpaid(transaction.amount, isOpen ? spendingId : null),
  }
}

const rejectedMax = 50

/** Adds a transaction to the rejected IDs of a record, which keeps the last 50. */
function rejectedBy({ rejectedIds }: ProviderRecord, { transactionId }: Transaction): string[] {
  return [...new Set([...(rejectedIds ?? []), transactionId])].slice(-rejectedMax)
}

/** Returns the posted records after the user rejects `pending` as their pending transaction. */
export function rejectPending(
  { records }: SyncedTransaction,
  pending: Transaction,
): ProviderRecord[] {
  return records.map((one) => ({ ...one, rejectedIds: rejectedBy(one, pending) }))
}
