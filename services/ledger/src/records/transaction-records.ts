import { toMessage } from '@coffer/kit/rpc/message'
import {
  type AggregatorTransaction,
  AggregatorTransactionSchema,
  type FeedTransaction,
  FeedTransactionSchema,
  type Transaction as TransactionMessage,
  TransactionSchema,
} from '@coffer/proto/ledger/v1/transaction'
import { isUsers } from '../book/field-marks.ts'
import type { Joined, ProviderRecord } from '../book/provider-record.ts'
import { namedEnvelope, type Transaction } from '../book/transaction.ts'

export type ProviderRecords = {
  aggregatorTransaction: AggregatorTransaction | null
  pendingAggregatorTransaction: AggregatorTransaction | null
  feedTransaction: FeedTransaction | null
  joinedBy: Joined['by'] | null
}

const noRecords: ProviderRecords = {
  aggregatorTransaction: null,
  pendingAggregatorTransaction: null,
  feedTransaction: null,
  joinedBy: null,
}

/** Returns the message of a transaction; a refund names its envelope in a field of its own. */
export function renderTransaction(
  transaction: Transaction,
  records?: ProviderRecords,
): TransactionMessage {
  const shown = transaction.refundAmount === null ? transaction : refundOf(transaction)
  const message = toMessage(TransactionSchema, records ? { ...shown, ...records } : shown)
  if (transaction.spendingId === null && isUsers(transaction, 'spendingId')) {
    message.staysFree = true
  }
  return message
}

function refundOf(transaction: Transaction) {
  const shown = { ...transaction, ...namedEnvelope(transaction), spendingAmount: null }
  // During an upgrade, a process of version 0.3 may unassign a transaction without removing its
  // refund amount, so the amount is hidden here.
  return transaction.spendingId === null ? { ...shown, refundAmount: null } : shown
}

/**
 * Returns a transaction's provider records (docs/syncs.md#records-that-a-transaction-shows); none
 * for manual and uploaded transactions. `records` may include those of other transactions.
 */
export function renderRecords(
  { source, transactionId }: Pick<Transaction, 'source' | 'transactionId'>,
  records: readonly ProviderRecord[],
): ProviderRecords {
  if (source !== 'aggregator' && source !== 'feed') return noRecords
  const own = records.filter((record) => record.transactionId === transactionId)
  const posted = lastRecord({ records: own.filter(({ isPending }) => !isPending) })
  const pending = lastRecord({ records: own.filter(({ isPending }) => isPending) })
  const joinedBy = findJoined({ records: own })?.by ?? null
  if (source === 'feed')
    return { ...noRecords, feedTransaction: feedOf(posted ?? pending), joinedBy }
  return {
    ...noRecords,
    joinedBy,
    aggregatorTransaction: aggregatorOf(posted),
    pendingAggregatorTransaction: aggregatorOf(pending),
  }
}

/** Provider records of one transaction. */
type Recorded = { records: readonly ProviderRecord[] }

/** Returns the record without `deletedAt`; null if the provider has withdrawn all records. */
export function liveRecord({ records }: Recorded): ProviderRecord | null {
  return records.find(({ deletedAt }) => deletedAt === null) ?? null
}

/** Returns the record without `deletedAt`, else the one deleted last; null without records. */
export function lastRecord({ records }: Recorded): ProviderRecord | null {
  const [last = null] = records.toSorted((a, b) => endOf(b) - endOf(a))
  return last
}

/** Returns how a posted record with another amount joined its transaction; null if none did. */
export function findJoined({ records }: Recorded): Joined | null {
  const by = records.find((one) => one.joined !== null && one.matchReason === 'amount-date-name')
  return by?.joined ?? null
}

function endOf({ deletedAt }: ProviderRecord): number {
  return deletedAt?.getTime() ?? Number.POSITIVE_INFINITY
}

function aggregatorOf(record: ProviderRecord | null): AggregatorTransaction | null {
  if (record === null) return null
  const { name, merchantName } = record
  const named = { ...record, name: name || null, merchantName: merchantName || null }
  return toMessage(AggregatorTransactionSchema, named)
}

function feedOf(record: ProviderRecord | null): FeedTransaction | null {
  if (record === null) return null
  const { recordId: feedTransactionId, merchantName: merchant, name: description } = record
  return toMessage(FeedTransactionSchema, { ...record, feedTransactionId, merchant, description })
}
