import { toMessage } from '@coffer/kit/rpc/message'
import {
  type AggregatorTransaction,
  AggregatorTransactionSchema,
  type FeedTransaction,
  FeedTransactionSchema,
} from '@coffer/proto/ledger/v1/transaction'
import { type ProviderRecord, shownRecords } from '../syncs/provider-transaction.ts'

export type ProviderRecords = {
  aggregatorTransaction: AggregatorTransaction | null
  pendingAggregatorTransaction: AggregatorTransaction | null
  feedTransaction: FeedTransaction | null
}

export const noRecords: ProviderRecords = {
  aggregatorTransaction: null,
  pendingAggregatorTransaction: null,
  feedTransaction: null,
}

/** Returns a transaction's provider records (docs/syncs.md#records-that-a-transaction-shows). */
export function renderRecords(
  source: 'aggregator' | 'feed',
  records: readonly ProviderRecord[],
): ProviderRecords {
  const { posted, pending } = shownRecords(records)
  if (source === 'feed') return { ...noRecords, feedTransaction: feedOf(posted ?? pending) }
  return {
    ...noRecords,
    aggregatorTransaction: aggregatorOf(posted),
    pendingAggregatorTransaction: aggregatorOf(pending),
  }
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
