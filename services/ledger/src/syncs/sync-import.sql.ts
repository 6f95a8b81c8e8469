import type { Database } from '@coffer/kit/database/database'
import { columnsOf } from '@coffer/kit/database/rows'
import { prepare } from '@coffer/kit/database/statement'
import { sql } from 'slonik'
import { ProviderRecord } from './provider-transaction.ts'

const columns = columnsOf(ProviderRecord, { table: 'record' })

const recordsOfTransaction = prepare(
  ['accountId', 'bankAccountId', 'transactionId'],
  (row) => sql.type(ProviderRecord)`
    SELECT ${columns} FROM provider_transactions AS record
    WHERE account_id = ${row.accountId} AND bank_account_id = ${row.bankAccountId}
      AND transaction_id = ${row.transactionId}`,
)

/** Returns all records of a transaction, in no order. */
export function listRecords(
  { pool }: Database,
  accountId: string,
  ids: { bankAccountId: string; transactionId: string },
): Promise<readonly ProviderRecord[]> {
  return pool.any(recordsOfTransaction({ ...ids, accountId }))
}
