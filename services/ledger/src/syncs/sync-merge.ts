import { isDeepStrictEqual } from 'node:util'
import { isUsers } from '../book/field-marks.ts'
import type { Joined, MatchReason, ProviderRecord } from '../book/provider-record.ts'
import {
  type Assignment,
  emptyTransaction,
  type Transaction,
  unassigned,
} from '../book/transaction.ts'
import { refundableAfter } from '../money/bookings.ts'
import {
  endOperation,
  type Locked,
  type Operation,
  type StartedOperation,
  startOperation,
} from '../money/operation.ts'
import { addSettlement, type Settlements } from '../money/settlements.ts'
import { assignTo, giveBack, redate } from '../money/spend.ts'
import { liveRecord } from '../records/transaction-records.ts'
import { nameOf } from './provider-row.ts'
import {
  isUnlisted,
  type Listed,
  type ProviderRow,
  type SyncedTransaction,
} from './provider-transaction.ts'

/** A change of synced transactions in progress. */
export type SyncWork = { locked: Locked; settlements: Settlements }

/** An import call in progress. */
export type ImportWork = SyncWork & {
  /** Ascending IDs for new rows: for each row one transaction ID and one record ID. */
  ids: { transactionIds: readonly string[]; recordIds: readonly string[] }
  source: 'aggregator' | 'feed'
  listed: Listed
}

/** A row with its index in the batch, its stored record (null if new), and the record to save. */
export type Update = {
  row: ProviderRow
  index: number
  own: ProviderRecord | null
  updated: ProviderRecord
}

/**
 * Returns the transaction after a row changes it (docs/syncs.md#changes); the same object if
 * nothing differs.
 */
export function updateSynced(
  work: ImportWork,
  synced: SyncedTransaction,
  { own, updated, row, index }: Update,
): SyncedTransaction {
  const { now } = work.locked.operation
  const live = liveRecord(synced)
  const isLate = live !== null && row.isPending && !live.isPending
  const leads =
    live === null ||
    isOf(live, row) ||
    (own === null && !isLate) ||
    isPostedAgain(work, { live, row }) ||
    isReturned(work, { live, row })
  const record = { ...updated, deletedAt: leads ? null : (own?.deletedAt ?? now) }
  const isRepeated = own !== null && isDeepStrictEqual(own, record)
  const others = synced.records
    .filter((one) => !isOf(one, row))
    .map((one) => (leads && one === live ? { ...one, deletedAt: now } : one))
  const transaction = leads
    ? mergeTransaction(work, synced.transaction, { row, index })
    : synced.transaction
  if (isRepeated && transaction === synced.transaction) return synced
  return { transaction, records: [...others, isRepeated ? own : record] }
}

/**
 * Returns whether a feed lists a posted row again although the live record of its transaction is
 * pending: the posted record was removed before. A feed lists only rows that exist, so the posted
 * record becomes the live one again.
 */
function isPostedAgain(
  { source }: ImportWork,
  { live, row }: { live: ProviderRecord; row: ProviderRow },
): boolean {
  const isOfAlias = live.providerAccountId === row.providerAccountId
  return source === 'feed' && isOfAlias && live.isPending && !row.isPending
}

/**
 * Returns whether the provider lists a row under a former ID of the transaction, and no longer
 * under its present ID. This happens when a provider withdraws IDs that it has renewed.
 */
function isReturned(
  { listed }: ImportWork,
  { live, row }: { live: ProviderRecord; row: ProviderRow },
): boolean {
  const isOfAlias = live.providerAccountId === row.providerAccountId
  return isOfAlias && live.isPending === row.isPending && isUnlisted(listed, live)
}

/** The provider's values of a transaction, and the number of the operation in the import call. */
export type Merge = { row: ProviderRow; index: number | string }

/** Returns the transaction with the provider's latest values; the same object if none differs. */
export function mergeTransaction(
  work: SyncWork,
  before: Transaction,
  { row, index }: Merge,
): Transaction {
  const merged = { ...describe(before, row), deletedAt: null }
  if (isDeepStrictEqual(merged, before)) return before
  const isSpent = before.deletedAt === null && before.amount === merged.amount
  if (!isSpent) return { ...merged, ...spendAgain(work, { before, merged, index }) }
  if (before.date.getTime() !== merged.date.getTime()) redateIn(work, { before, merged, index })
  return merged
}

/** Counts a payment in the period of its new day; no money moves. */
function redateIn(
  { locked, settlements }: SyncWork,
  { before, merged, index }: { before: Transaction; merged: Transaction; index: Merge['index'] },
): void {
  const { bankAccount, envelopes } = settlements
  const envelope = envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) return
  const operation = createOperation(locked, index)
  const started = startOperation({ bankAccount, envelopes: [envelope], operation })
  redate(started, before, merged.date)
  addSettlement(settlements, endOperation(started))
}

/** Returns the transaction with the provider's latest values, without moving money. */
export function describe(before: Transaction, row: ProviderRow): Transaction {
  const isOwnMerchant =
    (before.merchantName ?? '') !== before.originalMerchantName || isUsers(before, 'merchantName')
  return {
    ...before,
    amount: row.amount,
    date: row.date,
    categories: row.categories,
    category: row.category,
    isPending: row.isPending,
    originalName: row.isPending ? before.originalName : row.originalName,
    merchantName: isOwnMerchant ? before.merchantName : row.merchantName || null,
    originalMerchantName: row.merchantName,
  }
}

/** Soft-deletes a transaction; its envelope gets the money back, and stays assigned. */
export function removeTransaction(
  { locked, settlements }: SyncWork,
  before: Transaction,
  index: number | string,
): Transaction {
  const { now } = locked.operation
  const { bankAccount, envelopes } = settlements
  const envelope = envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) return { ...before, deletedAt: now }
  const operation = createOperation(locked, index)
  const started = startOperation({ bankAccount, envelopes: [envelope], operation })
  giveBack(started, before, { cause: 'deletion', causeId: before.transactionId })
  addSettlement(settlements, endOperation(started))
  const refundAmount = before.refundAmount === null ? null : 0n
  return { ...before, spendingAmount: 0n, refundAmount, deletedAt: now }
}

/**
 * Gives the old amount back to the envelope and takes the new one; for a refund the reverse. A
 * payment that becomes a deposit, or a refund that becomes a payment, is unassigned.
 */
function spendAgain(
  { locked, settlements }: SyncWork,
  { before, merged, index }: { before: Transaction; merged: Transaction; index: Merge['index'] },
): Assignment {
  const envelope = settlements.envelopes.current.get(before.spendingId ?? '')
  if (envelope === undefined) {
    const { spendingId, spendingAmount, refundAmount } = before
    return { spendingId, spendingAmount, refundAmount }
  }
  const operation = createOperation(locked, index)
  const { bankAccount } = settlements
  const refundable = refundableAfter(locked.refundable ?? new Map(), settlements.entries)
  const started = startOperation({ bankAccount, envelopes: [envelope], operation, refundable })
  const { transactionId: causeId } = before
  giveBack(started, before, { cause: 'transaction', causeId })
  const after = assignAgain(started, before, { ...merged, causeId })
  addSettlement(settlements, endOperation(started))
  return after
}

function assignAgain(
  started: StartedOperation,
  before: Transaction,
  { amount, date: day, causeId }: Pick<Transaction, 'amount' | 'date'> & { causeId: string },
): Assignment {
  const envelope = started.envelopes.get(before.spendingId ?? '')
  const isRefund = before.refundAmount !== null
  return envelope === undefined || isRefund !== amount < 0n
    ? unassigned
    : assignTo(started, envelope, { amount, day, causeId, isRefund })
}

/** Returns the journal operation of one row in a batch. */
function createOperation({ operation }: Locked, index: Merge['index']): Operation {
  return { ...operation, operationId: `${operation.operationId}/${index}` }
}

export function newTransaction(
  { locked, source }: Pick<ImportWork, 'locked' | 'source'>,
  row: ProviderRow,
  transactionId: string,
): Transaction {
  const { amount, date } = row
  const created = { transactionId, amount, date, source, createdAt: locked.operation.now }
  return {
    ...emptyTransaction(locked.bankAccount, created),
    categories: row.categories,
    category: row.category,
    name: row.displayName || null,
    originalName: row.originalName,
    merchantName: row.merchantName || null,
    originalMerchantName: row.merchantName,
    isPending: row.isPending,
  }
}

export function newRecord(
  { locked, ids }: ImportWork,
  row: ProviderRow,
  of: { transactionId: string; index: number; reason: MatchReason; joined?: Joined },
): ProviderRecord {
  const { accountId, bankAccountId } = locked.bankAccount
  return {
    accountId,
    bankAccountId,
    recordId: idAt(ids.recordIds, of.index),
    transactionId: of.transactionId,
    ...withoutNames(row),
    matchReason: of.reason,
    joined: of.joined ?? null,
    rejectedIds: null,
    createdAt: locked.operation.now,
    deletedAt: null,
  }
}

/** Returns a stored record as a row of the provider, with the transaction's original name. */
export function rowOf(record: ProviderRecord, originalName: string): ProviderRow {
  return { ...record, displayName: nameOf(record.merchantName || record.name), originalName }
}

/** Returns the fields of a row that its provider record stores. */
export function withoutNames<Row extends ProviderRow>({
  displayName,
  originalName,
  ...rest
}: Row): Omit<Row, 'displayName' | 'originalName'> {
  return rest
}

export function isOf(
  record: Pick<ProviderRecord, 'providerTransactionId'>,
  row: Pick<ProviderRow, 'providerTransactionId'>,
): boolean {
  return record.providerTransactionId === row.providerTransactionId
}

export function idAt(ids: readonly string[], index: number): string {
  const id = ids[index]
  if (id === undefined) throw new Error(`no ID for row ${index}`)
  return id
}
