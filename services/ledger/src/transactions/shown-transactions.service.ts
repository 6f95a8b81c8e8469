import type { Database } from '@coffer/kit/database/database'
import type { Transaction as Message, Suggestion } from '@coffer/proto/ledger/v1/transaction'
import type { ProviderRecord } from '../book/provider-record.ts'
import type { Transaction } from '../book/transaction.ts'
import { listRecordsOf } from '../records/provider-record.sql.ts'
import { renderRecords, renderTransaction } from '../records/transaction-records.ts'
import { findTransactions } from './transaction.sql.ts'

interface Deps {
  database: Database
  /** Returns the suggestions of a provider's transaction (docs/syncs.md#suggestions). */
  listSuggestions: (of: {
    transaction: Transaction
    records: readonly ProviderRecord[]
  }) => Promise<Suggestion[]>
}

/**
 * Returns the function that reads transactions with provider records and suggestions, with the same
 * fields as the request of a single transaction.
 */
export function transactionReader({ database, listSuggestions }: Deps) {
  return async (
    accountId: string,
    keys: readonly { bankAccountId: string; transactionId: string }[],
  ): Promise<Message[]> => {
    if (keys.length === 0) return []
    const found = await findTransactions(database, accountId, keys)
    const provided = found.filter(({ source }) => source === 'aggregator' || source === 'feed')
    const records = await listRecordsOf(database, accountId, provided)
    const messages: Message[] = []
    for (const transaction of found) {
      const own = records.get(transaction.transactionId) ?? []
      const message = renderTransaction(transaction, renderRecords(transaction, own))
      message.suggestions = await listSuggestions({ transaction, records: own })
      messages.push(message)
    }
    return messages
  }
}
